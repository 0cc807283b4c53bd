/** A change of the sources that must not go unnoticed. */
export interface Sabotage {
  /** What somebody might do. */
  readonly title: string;
  /** From the root of the package. */
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  /** The unit test that has to turn red: its file and its full name. */
  readonly test: { readonly file: string; readonly name: string };
}

/** Everything that would have engines, the controller and Git fight each other. */
export const SABOTAGES: readonly Sabotage[] = [
  {
    title: 'an ownerReference is rendered',
    file: 'lib/children/manifest.ts',
    find: '    labels: childLabels(agent),\n    annotations:',
    replace: `    labels: childLabels(agent),
    ...{ ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'x' }] },
    annotations:`,
    test: {
      file: 'test/unit/lib/children/render-agent.test.ts',
      name: 'renderAgent renders the same bytes twice and nothing that belongs to a live object',
    },
  },
  {
    title: 'the merge annotation of Flux is dropped',
    file: 'lib/children/deployment.ts',
    find: "{ [FOREIGN.fluxServerSideApply]: 'Merge' }",
    replace: '{}',
    test: {
      file: 'test/unit/lib/children/engine-marks.test.ts',
      name: 'what is rendered with the engines in mind has Flux leave a restart in place, and nothing else',
    },
  },
  {
    title: 'a sync-wave is rendered',
    file: 'lib/children/manifest.ts',
    find: 'annotations: { ...annotations,',
    replace: "annotations: { ...annotations, 'argocd.argoproj.io/sync-wave': '1',",
    test: {
      file: 'test/unit/lib/children/render-agent.test.ts',
      name: 'renderAgent renders the same bytes twice and nothing that belongs to a live object',
    },
  },
  {
    title: 'a selector uses app.kubernetes.io/instance',
    file: 'lib/children/manifest.ts',
    find: 'return { [LABELS.agent]: agent.name, [LABELS.component]: GATEWAY_COMPONENT };',
    replace: `return {
    [LABELS.agent]: agent.name,
    [LABELS.component]: GATEWAY_COMPONENT,
    'app.kubernetes.io/instance': agent.name,
  };`,
    test: {
      file: 'test/unit/lib/children/engine-marks.test.ts',
      name: 'what is rendered with the engines in mind selects pods by labels that no engine writes',
    },
  },
  {
    title: 'the controller writes a spec',
    file: 'controller/kube/object-writer.ts',
    find: '      status: ownStatus(status, kind.status),\n',
    replace: '      status: ownStatus(status, kind.status),\n      spec: object.spec ?? {},\n',
    test: {
      file: 'test/unit/controller/kube/object-writer.test.ts',
      name: 'objectWriter applies our part of a status to the very state that was read',
    },
  },
  {
    title: 'the workload of a known run is rendered again',
    file: 'lib/runs/resolve-run.ts',
    find: 'if (isSame && former.workload !== undefined) {',
    replace: 'if (isSame && former.workload !== undefined && former.spec === undefined) {',
    test: {
      file: 'test/unit/cli/synth-runs.test.ts',
      name: 'a run is resolved once keeps to the byte what another renderer wrote',
    },
  },
  {
    title: 'a kind may be pruned',
    file: 'lib/api/crd.ts',
    find: "  [FOREIGN.fluxPrune]: 'disabled',\n",
    replace: '',
    test: {
      file: 'test/unit/charts/install/install-set.test.ts',
      name: 'the install set keeps its kinds from the pruning of both engines',
    },
  },
];
