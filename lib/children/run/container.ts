import type { ResolvedRun } from '../../api/agent-run.js';
import { RUN_CONTAINER } from '../../api/identity.js';
import { runEnv } from '../env.js';
import { withoutEmpty } from '../manifest.js';
import { HOME_MOUNT, SHM_MOUNT } from '../volumes.js';

/** The container of a run. It has no probe: it ends by itself, and its exit code is the result. */
export function runContainer(run: ResolvedRun): Record<string, unknown> {
  const { agent, spec } = run;
  return withoutEmpty({
    name: RUN_CONTAINER,
    image: spec.image ?? agent?.spec.image,
    imagePullPolicy: agent?.spec.imagePullPolicy ?? 'IfNotPresent',
    command: spec.command,
    args: argumentsOf(run),
    env: runEnv(run),
    envFrom: [...(agent?.spec.envFrom ?? []), ...(spec.envFrom ?? [])],
    resources: spec.resources ?? agent?.spec.resources,
    securityContext: agent?.spec.securityContext,
    volumeMounts: [HOME_MOUNT, SHM_MOUNT, ...(spec.volumeMounts ?? [])],
  });
}

/** Once, without a terminal and with nothing but the answer in the output. */
function argumentsOf({ spec: { args = [], instructions = '' } }: ResolvedRun): readonly string[] {
  if (args.length > 0 || instructions === '') return args;
  return ['chat', '-Q', '-q', literal(instructions)];
}

/**
 * Kubernetes puts variables in place of `$(NAME)` in arguments, and takes `$$` for one dollar sign. Instructions are
 * prose, or hold shell commands, and have to arrive as they were written.
 */
function literal(text: string): string {
  return text.replace(/\$(?=[$(])/g, '$$$$');
}
