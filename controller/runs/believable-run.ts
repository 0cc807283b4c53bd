import type { Pod } from '../kube/objects.js';
import {
  believed,
  believedList,
  conform,
  CONDITIONS,
  METADATA,
  NOBODY,
  OWN_CONDITIONS,
  PODS,
  texts,
  type Shape,
} from '../status/stored-shapes.js';
import type { Job, Sandbox, StoredRun } from './objects.js';
import type { ObservedRun } from './observed-run.js';

const RUN_STATUS: Shape = {
  fields: {
    ...texts('phase', 'podName', 'podUID', 'startTime', 'completionTime'),
    observedGeneration: 'number',
    duration: 'number',
    exitCode: 'number',
    workload: { fields: texts('kind', 'name', 'uid'), required: ['kind', 'name', 'uid'] },
    conditions: OWN_CONDITIONS,
  },
};

const JOB: Shape = {
  fields: {
    metadata: METADATA,
    spec: { fields: { suspend: 'flag', backoffLimit: 'number' } },
    status: { fields: { ...texts('startTime', 'completionTime'), failed: 'number', conditions: CONDITIONS } },
  },
  required: ['metadata'],
};

const SANDBOX: Shape = {
  fields: {
    metadata: METADATA,
    spec: { fields: texts('operatingMode') },
    status: { fields: { conditions: CONDITIONS } },
  },
  required: ['metadata'],
};

/**
 * An observation in which every object is what its type says. Whatever does not fit was written past a schema, and no
 * rule should have to think of it. The spec stays as it is: the rules read it through a view of its own.
 */
export function believableRun(observed: ObservedRun): ObservedRun {
  const { run, job: rawJob, sandbox: rawSandbox, ...rest } = observed;
  const job = believed(rawJob, JOB) as Job | undefined;
  const sandbox = believed(rawSandbox, SANDBOX) as Sandbox | undefined;
  return {
    ...rest,
    run: believable(run),
    ...(job !== undefined && { job }),
    ...(sandbox !== undefined && { sandbox }),
    pods: believedList(observed.pods, PODS) as readonly Pod[],
    deletedPods: believedList(observed.deletedPods, PODS) as readonly Pod[],
  };
}

function believable(run: StoredRun): StoredRun {
  const status = conform(run.status, RUN_STATUS) as StoredRun['status'];
  const data: unknown = (run.status as Readonly<Record<string, unknown>> | null | undefined)?.['terminationData'];
  const isMap = typeof data === 'object' && data !== null && !Array.isArray(data);
  return {
    metadata: (conform(run.metadata, METADATA) ?? NOBODY) as StoredRun['metadata'],
    spec: run.spec,
    ...(status !== undefined && {
      status: { ...status, ...(isMap && { terminationData: data as Readonly<Record<string, unknown>> }) },
    }),
  };
}
