import { ANNOTATIONS, LABELS } from '../../lib/api/identity.js';
import type { Binding, Deployment, KubeObject, ObjectMeta, Pod, StoredAgent, StoredObject } from '../kube/objects.js';
import type { Job, Sandbox, StoredRun } from '../runs/objects.js';
import { JOB_UID_LABEL } from '../runs/pods-of-run.js';

/**
 * What the cache keeps of each object. managedFields alone are often half of it; the rest that goes is what no status
 * rule and no finalizer step reads.
 */

/** The revision that a ReplicaSet belongs to, and the one that a Deployment is at. */
export const REVISION_ANNOTATION = 'deployment.kubernetes.io/revision';

const KEPT_LABELS: readonly string[] = [...Object.values(LABELS), JOB_UID_LABEL];
const KEPT_ANNOTATIONS: readonly string[] = [ANNOTATIONS.specDigest, REVISION_ANNOTATION];
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

type Raw = Readonly<Record<string, unknown>>;

/** The raw object, if it is one: with a name, a UID and a resourceVersion. */
function asObject(raw: unknown): (Raw & { readonly metadata: ObjectMeta }) | undefined {
  const metadata = asRecord(asRecord(raw)?.['metadata']);
  const isWhole = ['name', 'uid', 'resourceVersion'].every((field) => typeof metadata?.[field] === 'string');
  return isWhole ? (raw as Raw & { readonly metadata: ObjectMeta }) : undefined;
}

function asRecord(value: unknown): Raw | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Raw) : undefined;
}

/** A copy with these keys alone; undefined when none is there. */
function pick<T extends object>(value: T | null | undefined, keys: readonly string[]): T | undefined {
  if (value === undefined || value === null) return undefined;
  const kept = Object.entries(value).filter(([key, field]) => keys.includes(key) && field !== undefined);
  return kept.length === 0 ? undefined : (Object.fromEntries(kept) as T);
}

function childMetadata(metadata: ObjectMeta): ObjectMeta {
  const labels = pick(metadata.labels, KEPT_LABELS);
  const annotations = pick(metadata.annotations, KEPT_ANNOTATIONS);
  const scalars = pick(metadata, [
    'name',
    'namespace',
    'uid',
    'resourceVersion',
    'generation',
    'creationTimestamp',
    'deletionTimestamp',
    'ownerReferences',
  ]);
  return {
    ...(scalars ?? metadata),
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
  };
}

/** Metadata of a child; apiVersion and kind are given, because a metadata-only answer calls everything PartialObjectMetadata. */
export function keepMetadata(type: {
  readonly apiVersion: string;
  readonly kind: string;
}): (raw: unknown) => KubeObject | undefined {
  return (raw) => {
    const object = asObject(raw);
    return object === undefined ? undefined : { ...type, metadata: childMetadata(object.metadata) };
  };
}

/** A HermesAgent with its whole spec and status. */
export function keepAgent(raw: unknown): StoredAgent | undefined {
  return keepOwn(raw, (spec) => spec);
}

const RUN_SPEC = ['agentRef', 'workload', 'startupDeadlineSeconds', 'ttlSecondsAfterFinished'];

/** An AgentRun without what it executes: instructions can be long, and no rule reads them. */
export function keepRun(raw: unknown): StoredRun | undefined {
  return keepOwn(raw, (spec) => {
    const fields = asRecord(spec);
    return fields === undefined ? spec : (pick(fields, RUN_SPEC) ?? {});
  });
}

function keepOwn(raw: unknown, keepSpec: (spec: unknown) => unknown): StoredObject | undefined {
  const object = asObject(raw);
  if (object === undefined) return undefined;
  const status = asRecord(object['status']);
  return {
    metadata: wholeMetadata(object.metadata),
    spec: keepSpec(object['spec']),
    ...(status === undefined ? {} : { status: status }),
  };
}

function wholeMetadata(metadata: ObjectMeta): ObjectMeta {
  const kept = Object.entries(metadata).filter(([key]) => key !== 'managedFields');
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([key]) => key !== LAST_APPLIED);
  return { ...(Object.fromEntries(kept) as unknown as ObjectMeta), annotations: Object.fromEntries(annotations) };
}

/** A Job without its pod template. Every label and annotation may be the mark of an engine. */
export function keepJob(raw: unknown): Job | undefined {
  return keepWorkload(raw, ['suspend', 'backoffLimit'], ['startTime', 'completionTime', 'failed', 'conditions']);
}

/** A Sandbox without its pod template. */
export function keepSandbox(raw: unknown): Sandbox | undefined {
  return keepWorkload(raw, ['operatingMode'], ['conditions']);
}

function keepWorkload(
  raw: unknown,
  specFields: readonly string[],
  statusFields: readonly string[],
): KubeObject | undefined {
  const object = asObject(raw);
  if (object === undefined) return undefined;
  const spec = pick(asRecord(object['spec']), specFields);
  const status = pick(asRecord(object['status']), statusFields);
  return {
    metadata: wholeMetadata(object.metadata),
    ...(spec === undefined ? {} : { spec }),
    ...(status === undefined ? {} : { status }),
  };
}

/** A Deployment without its pod template. */
export function keepDeployment(raw: unknown): Deployment | undefined {
  const object = asObject(raw) as Deployment | undefined;
  if (object === undefined) return undefined;
  const spec = pick(object.spec, ['replicas', 'progressDeadlineSeconds']);
  const status = pick(object.status, [
    'observedGeneration',
    'replicas',
    'updatedReplicas',
    'readyReplicas',
    'conditions',
  ]);
  return {
    metadata: childMetadata(object.metadata),
    ...(spec === undefined ? {} : { spec }),
    ...(status === undefined ? {} : { status }),
  };
}

/** A pod's state, the names and images of its containers, and the claims that it mounts. */
export function keepPod(raw: unknown): Pod | undefined {
  const object = asObject(raw) as Pod | undefined;
  if (object === undefined) return undefined;
  const { spec } = object;
  const volumes = spec?.volumes?.filter((volume) => volume.persistentVolumeClaim !== undefined);
  const status = pick(object.status, [
    'phase',
    'reason',
    'message',
    'podIP',
    'startTime',
    'conditions',
    'initContainerStatuses',
    'containerStatuses',
  ]);
  return {
    metadata: childMetadata(object.metadata),
    spec: {
      ...(spec?.serviceAccountName === undefined ? {} : { serviceAccountName: spec.serviceAccountName }),
      ...(spec?.containers === undefined
        ? {}
        : { containers: spec.containers.map((container) => pick(container, ['name', 'image']) ?? container) }),
      ...(volumes === undefined ? {} : { volumes }),
    },
    ...(status === undefined ? {} : { status: slimStatus(status) }),
  };
}

type PodStatus = NonNullable<Pod['status']>;

/** A kubelet writes an image digest, a container id and resources into each container status; nothing reads them. */
function slimStatus(status: PodStatus): PodStatus {
  const slim = <T extends object>(statuses: readonly T[] | null | undefined): { readonly list?: readonly T[] } =>
    statuses === undefined || statuses === null
      ? {}
      : {
          list: statuses.map(
            (one) => pick(one, ['name', 'image', 'ready', 'restartCount', 'state', 'lastState']) ?? one,
          ),
        };
  const { list: init } = slim(status.initContainerStatuses);
  const { list: main } = slim(status.containerStatuses);
  return {
    ...status,
    ...(init === undefined ? {} : { initContainerStatuses: init }),
    ...(main === undefined ? {} : { containerStatuses: main }),
  };
}

/** A RoleBinding or ClusterRoleBinding, whole but for foreign metadata. */
export function keepBinding(type: {
  readonly apiVersion: string;
  readonly kind: string;
}): (raw: unknown) => Binding | undefined {
  return (raw) => {
    const object = asObject(raw) as Binding | undefined;
    if (object === undefined) return undefined;
    const parts = pick(object, ['roleRef', 'subjects']);
    return { ...parts, ...type, metadata: childMetadata(object.metadata) };
  };
}
