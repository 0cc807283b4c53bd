import type { EnvVar } from '../../api/generated/types.js';
import type { PathSegment } from '../problem.js';
import type { AgentCheck, AgentUnderCheck } from './agent-check.js';

/** The emptyDir that rendering adds to the pod. */
const OWN_EMPTY_DIR = 'dshm';

type Variables = readonly [readonly PathSegment[], readonly EnvVar[] | undefined];

function listsOf({ llmProviders = [], gateways = [], env, dashboard }: AgentUnderCheck['spec']): readonly Variables[] {
  return [
    [['env'], env],
    ...llmProviders.map((entry, index): Variables => [['llmProviders', index, 'env'], entry.env]),
    ...gateways.map((entry, index): Variables => [['gateways', index, 'env'], entry.env]),
    [['dashboard', 'env'], dashboard?.env],
  ];
}

/** A variable can be read from a file of an emptyDir of the pod and of no other volume. */
export const envFileCheck: AgentCheck = {
  reads: ['env', 'llmProviders', 'gateways', 'dashboard', 'volumes'],
  check: ({ spec }, report) => {
    const emptyDirs = (spec.volumes ?? []).filter(({ emptyDir }) => emptyDir !== undefined).map(({ name }) => name);
    const known = [OWN_EMPTY_DIR, ...emptyDirs];
    for (const [path, variables = []] of listsOf(spec)) {
      variables.forEach(({ valueFrom }, index) => {
        const volume = valueFrom?.fileKeyRef?.volumeName;
        if (volume === undefined || known.includes(volume)) return;
        const at = ['spec', ...path, index, 'valueFrom', 'fileKeyRef', 'volumeName'];
        const hint = `add it to spec.volumes, or use ${known.join(', ')}`;
        report.error(at, { rule: 'UnknownVolume', message: `no emptyDir is called ${volume}`, hint });
      });
    }
  },
};
