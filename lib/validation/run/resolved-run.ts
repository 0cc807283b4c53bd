import type { ResolvedRun } from '../../api/agent-run.js';
import type { EnvVar } from '../../api/generated/types.js';
import { runEnv } from '../../children/env.js';
import { HOME_MOUNT, SHM_MOUNT } from '../../children/volumes.js';
import type { PathSegment } from '../problem.js';
import type { Reporter } from '../reporter.js';

/** The agent whose home a claim of a namespace is, or undefined. */
export type HomeOf = (namespace: string, claim: string) => string | undefined;

/** Checks what can only be seen once a run and its agent are known. */
export function checkResolvedRun(run: ResolvedRun, homeOf: HomeOf, report: Reporter): void {
  checkClaims(run, homeOf, report);
  checkEnvFiles(run, report);
  checkPropagation(run, report);
}

function checkClaims({ namespace, spec }: ResolvedRun, homeOf: HomeOf, report: Reporter): void {
  (spec.volumes ?? []).forEach(({ persistentVolumeClaim }, index) => {
    if (persistentVolumeClaim === undefined) return;
    const agent = homeOf(namespace, persistentVolumeClaim.claimName);
    if (agent === undefined) return;
    const message = `is the home of the agent ${agent}, which its gateway keeps locked`;
    const path = ['spec', 'volumes', index, 'persistentVolumeClaim', 'claimName'];
    report.error(path, { rule: 'AgentVolume', message, hint: 'give the run a claim of its own' });
  });
}

/** A variable can be read from a file of an emptyDir of the pod and of no other volume. */
function checkEnvFiles(run: ResolvedRun, report: Reporter): void {
  const { volumes = [], env = [] } = run.spec;
  const hasOwnHome = volumes.some(({ name }) => name === HOME_MOUNT.name);
  const emptyDirs = volumes.filter(({ emptyDir }) => emptyDir !== undefined).map(({ name }) => name);
  const known = [...(hasOwnHome ? [] : [HOME_MOUNT.name]), SHM_MOUNT.name, ...emptyDirs];
  for (const { name, valueFrom } of runEnv(run)) {
    const volume = valueFrom?.fileKeyRef?.volumeName;
    if (volume === undefined || known.includes(volume)) continue;
    const index = env.findIndex((variable: EnvVar) => variable.name === name);
    const path: readonly PathSegment[] =
      index >= 0 ? ['spec', 'env', index, 'valueFrom', 'fileKeyRef', 'volumeName'] : ['spec', 'agentRef', 'name'];
    const whose = index >= 0 ? '' : `the variable ${name} of the agent reads a file, and `;
    const hint = `add it to spec.volumes${index >= 0 ? '' : `, or set ${name} in spec.env`}`;
    report.error(path, { rule: 'UnknownVolume', message: `${whose}no emptyDir is called ${volume}`, hint });
  }
}

function checkPropagation({ agent, spec }: ResolvedRun, report: Reporter): void {
  if (agent?.spec.securityContext?.privileged === true) return;
  (spec.volumeMounts ?? []).forEach(({ mountPropagation }, index) => {
    if (mountPropagation !== 'Bidirectional') return;
    const message = 'Bidirectional needs a privileged container';
    const path = ['spec', 'volumeMounts', index, 'mountPropagation'];
    report.error(path, { rule: 'BadMount', message, hint: 'write HostToContainer' });
  });
}
