import type { ResolvedRun } from '../../api/agent-run.js';
import type { Volume } from '../../api/generated/types.js';
import { FOREIGN, RUN_CONTAINER } from '../../api/identity.js';
import { withoutEmpty } from '../manifest.js';
import { schedulingOf } from '../scheduling.js';
import { serviceAccountName } from '../service-account.js';
import { HOME_MOUNT, SHM_VOLUME } from '../volumes.js';
import { runContainer } from './container.js';
import { runLabels } from './workload-metadata.js';

/** A pod template as Job and Sandbox hold it. */
export interface PodTemplate {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly spec: Readonly<Record<string, unknown>>;
}

/** The pod of a run: it starts once, with an empty home, in the place and with the rights of its agent. */
export function runPodTemplate(run: ResolvedRun): PodTemplate {
  const { agent } = run;
  return {
    metadata: { annotations: { [FOREIGN.defaultContainer]: RUN_CONTAINER }, labels: runLabels(run) },
    spec: withoutEmpty({
      serviceAccountName: agent && serviceAccountName(agent),
      imagePullSecrets: agent?.spec.imagePullSecrets,
      restartPolicy: 'Never',
      containers: [runContainer(run)],
      volumes: runVolumes(run),
      ...(agent && schedulingOf(agent)),
    }),
  };
}

/** The agent's own volume is never among them: the gateway keeps it locked. */
function runVolumes({ spec: { volumes = [] } }: ResolvedRun): readonly Volume[] {
  const hasHome = volumes.some(({ name }) => name === HOME_MOUNT.name);
  return [...(hasHome ? [] : [{ name: HOME_MOUNT.name, emptyDir: {} }]), SHM_VOLUME, ...volumes];
}
