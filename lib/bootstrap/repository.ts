import { FOREIGN } from '../api/identity.js';
import { DEFAULT_CONTROLLER_NAMESPACE } from '../api/probe-access.js';
import { emptyKustomization } from '../emit/kustomization.js';
import { KUSTOMIZATION, RUNS_FOLDER } from '../emit/layout.js';
import { toYaml } from '../emit/yaml.js';
import { renderFiles } from '../fleet/render-files.js';
import { argoCdAgents, argoCdRoot, argoCdRuns } from './argocd.js';
import { EXAMPLE_AGENT, exampleAgent } from './example-agent.js';
import { fluxAgents, fluxRoot, fluxRuns, fluxSource } from './flux.js';
import { type BootstrapOptions, FOLDERS, repositoryPath } from './options.js';
import { inputsReadme } from './readme.js';
import { checkWorkflow } from './workflow.js';

const WORKFLOW = '.github/workflows/hermes-gitops.yaml';

/** Deleting a namespace deletes every volume in it, so nobody does that but by hand. */
const KEPT = {
  [FOREIGN.argoSyncOptions]: 'Prune=false,Delete=false',
  [FOREIGN.argoCompareOptions]: 'IgnoreExtraneous',
  [FOREIGN.fluxPrune]: 'disabled',
};

/**
 * A repository for a fleet: inputs with one agent, what they render to, the objects by which an engine syncs it, and a
 * workflow that checks the two against each other. Path below the root of the repository, with `/`, to text.
 */
export function repositoryFiles(options: BootstrapOptions): ReadonlyMap<string, string> {
  const { inputs, rendered, engine } = FOLDERS;
  const input = { path: `${inputs}/${EXAMPLE_AGENT}.yaml`, text: exampleAgent(options.namespace) };
  const below = (folder: string, files: ReadonlyMap<string, string>): [string, string][] =>
    [...files].map(([path, text]) => [repositoryPath(options, folder, path), text]);
  return new Map([
    [WORKFLOW, checkWorkflow(options)],
    [repositoryPath(options, inputs, 'README.md'), inputsReadme(options)],
    [repositoryPath(options, input.path), input.text],
    ...below(rendered, renderedFiles(input, options)),
    ...below(engine, engineFiles(options)),
  ]);
}

function renderedFiles(
  input: { readonly path: string; readonly text: string },
  { engine, namespace }: BootstrapOptions,
): ReadonlyMap<string, string> {
  const flux = engine === 'flux';
  const { files } = renderFiles(
    [{ name: input.path, bytes: Buffer.from(input.text) }],
    { allowedClusterRoles: [], allowedBindingNamespaces: [], flux },
    { flux, controllerNamespace: DEFAULT_CONTROLLER_NAMESPACE },
  );
  return new Map([
    ...[...files].map(([path, content]) => [path, Buffer.from(content).toString('utf8')] as const),
    // An engine fails where there is no folder, and Git keeps none without a file.
    [`${namespace}/${RUNS_FOLDER}/${KUSTOMIZATION}`, emptyKustomization()],
  ]);
}

function engineFiles(options: BootstrapOptions): ReadonlyMap<string, string> {
  const { engine, namespace } = options;
  const source = engine === 'flux' ? fluxSource(options) : undefined;
  const [root, agents, runs] =
    engine === 'flux'
      ? [fluxRoot(options), fluxAgents(options), fluxRuns(options)]
      : [argoCdRoot(options), argoCdAgents(options), argoCdRuns(options)];
  const top: [string, object][] = [
    ['fleet.yaml', root],
    ...(source ? [['source.yaml', source] as [string, object]] : []),
  ];
  return new Map([
    [KUSTOMIZATION, kustomization([...top.map(([file]) => file), namespace])],
    ...top.map(([file, object]) => [file, toYaml(object)] as const),
    [`${namespace}/${KUSTOMIZATION}`, kustomization(['agents.yaml', 'namespace.yaml', 'runs.yaml'])],
    [`${namespace}/namespace.yaml`, toYaml(keptNamespace(namespace))],
    [`${namespace}/agents.yaml`, toYaml(agents)],
    [`${namespace}/runs.yaml`, toYaml(runs)],
  ]);
}

function keptNamespace(name: string): object {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, annotations: KEPT } };
}

function kustomization(resources: readonly string[]): string {
  return toYaml({ apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', resources });
}
