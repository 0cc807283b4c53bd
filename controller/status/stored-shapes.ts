import type { Binding, Deployment, KubeObject, Pod, StoredAgent } from '../kube/objects.js';
import type { ObservedAgent } from './observed.js';

/** What a value has to look like to be believed. */
export type Shape =
  | 'text'
  | 'number'
  | 'flag'
  | { readonly list: Shape }
  | { readonly values: Shape }
  | { readonly fields: Readonly<Record<string, Shape>>; readonly required?: readonly string[] };

/**
 * The parts of a value that have this shape: a field, an item or a value of another type is taken as absent, and a map
 * without a field that it cannot do without is absent as a whole. What is not named does not come along.
 */
export function conform(value: unknown, shape: Shape): unknown {
  if (typeof shape === 'string') return conformScalar(value, shape);
  if ('list' in shape) {
    return Array.isArray(value) ? value.map((item) => conform(item, shape.list)).filter(isPresent) : undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  if ('values' in shape) return conformEntries(Object.entries(value), () => shape.values);
  const { fields, required = [] } = shape;
  const named = Object.keys(fields)
    .filter((key) => Object.hasOwn(value, key))
    .map((key) => [key, (value as Readonly<Record<string, unknown>>)[key]] as const);
  const kept = conformEntries(named, (key) => fields[key] ?? 'text');
  return required.every((key) => Object.hasOwn(kept, key)) ? kept : undefined;
}

function conformScalar(value: unknown, shape: 'text' | 'number' | 'flag'): unknown {
  if (shape === 'text') return typeof value === 'string' ? value : undefined;
  if (shape === 'flag') return typeof value === 'boolean' ? value : undefined;
  return Number.isFinite(value) ? value : undefined;
}

function conformEntries(entries: readonly (readonly [string, unknown])[], shapeOf: (key: string) => Shape): object {
  return Object.fromEntries(
    entries.map(([key, field]) => [key, conform(field, shapeOf(key))]).filter(([, field]) => isPresent(field)),
  ) as object;
}

/** Whether all that is named has this shape, so that {@link conform} would take nothing away but what no rule reads. */
function fits(value: unknown, shape: Shape): boolean {
  if (typeof shape === 'string') return conformScalar(value, shape) !== undefined;
  if ('list' in shape) return Array.isArray(value) && value.every((item) => fits(item, shape.list));
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const record = value as Readonly<Record<string, unknown>>;
  if ('values' in shape) return Object.values(record).every((field) => fits(field, shape.values));
  const { fields, required = [] } = shape;
  for (const key in fields) {
    if (Object.hasOwn(record, key) ? !fits(record[key], fields[key] ?? 'text') : required.includes(key)) return false;
  }
  return true;
}

/**
 * {@link conform} for what is only read: a whole value is taken as it is. Nearly every one is, and to copy them all is
 * most of what a pass costs.
 */
export function believed(value: unknown, shape: Shape): unknown {
  return fits(value, shape) ? value : conform(value, shape);
}

function isPresent(value: unknown): boolean {
  return value !== undefined;
}

/** The shape of a map of texts. */
export const texts = (...keys: readonly string[]): Record<string, Shape> =>
  Object.fromEntries(keys.map((key) => [key, 'text']));

/** metadata of any object. */
export const METADATA: Shape = {
  fields: {
    ...texts('name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp', 'deletionTimestamp'),
    generation: 'number',
    labels: { values: 'text' },
    annotations: { values: 'text' },
    ownerReferences: {
      list: { fields: { ...texts('apiVersion', 'kind', 'name', 'uid'), controller: 'flag' }, required: ['uid'] },
    },
  },
  required: ['name', 'uid'],
};

/** Conditions as others write them. */
export const CONDITIONS: Shape = {
  list: {
    fields: {
      ...texts('type', 'status', 'reason', 'message', 'lastTransitionTime', 'lastUpdateTime'),
      observedGeneration: 'number',
    },
    required: ['type', 'status'],
  },
};

/** A metav1.Condition is whole, or it was not written by this controller. */
export const OWN_CONDITIONS: Shape = {
  list: {
    fields: { ...texts('type', 'status', 'reason', 'message', 'lastTransitionTime'), observedGeneration: 'number' },
    required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
  },
};

const OBJECT: Shape = { fields: { ...texts('apiVersion', 'kind'), metadata: METADATA }, required: ['metadata'] };

const OBJECTS: Shape = { list: OBJECT };

const DEPLOYMENT: Shape = {
  fields: {
    metadata: METADATA,
    spec: { fields: { replicas: 'number', progressDeadlineSeconds: 'number' } },
    status: {
      fields: {
        observedGeneration: 'number',
        replicas: 'number',
        updatedReplicas: 'number',
        readyReplicas: 'number',
        conditions: CONDITIONS,
      },
    },
  },
  required: ['metadata'],
};

const CONTAINER_STATE: Shape = {
  fields: {
    waiting: { fields: texts('reason', 'message') },
    running: { fields: texts('startedAt') },
    terminated: {
      fields: { ...texts('reason', 'message', 'startedAt', 'finishedAt'), exitCode: 'number', signal: 'number' },
    },
  },
};

const CONTAINER_STATUSES: Shape = {
  list: {
    fields: {
      ...texts('name', 'image'),
      ready: 'flag',
      restartCount: 'number',
      state: CONTAINER_STATE,
      lastState: CONTAINER_STATE,
    },
    required: ['name'],
  },
};

const POD: Shape = {
  fields: {
    metadata: METADATA,
    spec: { fields: { containers: { list: { fields: texts('name', 'image'), required: ['name'] } } } },
    status: {
      fields: {
        ...texts('phase', 'reason', 'message', 'startTime'),
        conditions: CONDITIONS,
        initContainerStatuses: CONTAINER_STATUSES,
        containerStatuses: CONTAINER_STATUSES,
      },
    },
  },
  required: ['metadata'],
};

/** Pods, as far as any rule reads them. */
export const PODS: Shape = { list: POD };

const BINDING: Shape = {
  fields: {
    ...texts('apiVersion', 'kind'),
    metadata: METADATA,
    roleRef: { fields: texts('apiGroup', 'kind', 'name') },
    subjects: { list: { fields: texts('kind', 'apiGroup', 'name', 'namespace') } },
  },
  required: ['metadata'],
};

const BINDINGS: Shape = { list: BINDING };

const GATEWAYS: Shape = {
  list: {
    fields: { ...texts('type', 'state', 'message', 'lastProbedAt'), ready: 'flag' },
    required: ['type', 'ready'],
  },
};

const AGENT_STATUS: Shape = {
  fields: { ...texts('phase', 'podName'), activeSessions: 'number', gateways: GATEWAYS, conditions: OWN_CONDITIONS },
};

/** Stands in for metadata that cannot be believed. */
export const NOBODY = { name: '', uid: '', resourceVersion: '', creationTimestamp: '' };

/**
 * An observation in which every object is what its type says. Whatever does not fit was written past a schema, and no
 * rule should have to think of it. The spec stays as it is: the rules read it through a view of its own.
 */
export function believable(observed: ObservedAgent): ObservedAgent {
  const { agent, deployment: rawDeployment, children: rawChildren, ...rest } = observed;
  const deployment = believed(rawDeployment, DEPLOYMENT) as Deployment | undefined;
  const children = believed(rawChildren, OBJECTS) as readonly KubeObject[] | undefined;
  const bindings = observed.bindings;
  return {
    ...rest,
    agent: believableAgent(agent),
    ...(deployment !== undefined && { deployment }),
    ...(children !== undefined && { children }),
    ...(bindings?.state === 'read' && {
      bindings: { state: 'read', items: believedList(bindings.items, BINDINGS) as readonly Binding[] },
    }),
    replicaSets: believedList(observed.replicaSets, OBJECTS) as readonly KubeObject[],
    pods: believedList(observed.pods, PODS) as readonly Pod[],
  };
}

/** {@link believed} for a shape that is a list; empty where the value is none. */
export function believedList(value: unknown, shape: Shape): readonly unknown[] {
  return (believed(value, shape) ?? []) as readonly unknown[];
}

function believableAgent(agent: StoredAgent): StoredAgent {
  const status = conform(agent.status, AGENT_STATUS) as StoredAgent['status'];
  return {
    metadata: (conform(agent.metadata, METADATA) ?? NOBODY) as StoredAgent['metadata'],
    spec: agent.spec,
    ...(status !== undefined && { status }),
  };
}
