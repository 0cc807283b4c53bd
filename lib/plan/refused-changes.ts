import { API_VERSION, RUN_KIND } from '../api/identity.js';
import { compareQuantities } from '../api/quantity.js';
import type { PlannedObject, RefusedChange } from './compare.js';
import { differences } from './difference.js';

type Refusal = Omit<RefusedChange, 'object'>;
type Spec = Readonly<Record<string, unknown>>;

/** A subtree that the API server lets nobody change once the object exists. */
interface ImmutableRule {
  readonly apiGroup: string;
  readonly kind: string;
  /** The top-level field of the object, or `spec.<field>`. */
  readonly at: readonly string[];
  readonly remedy: string;
}

const IMMUTABLE: readonly ImmutableRule[] = [
  {
    apiGroup: 'apps',
    kind: 'Deployment',
    at: ['spec', 'selector'],
    remedy: 'delete the Deployment with --cascade=orphan before the sync, or give the agent another name',
  },
  {
    apiGroup: 'batch',
    kind: 'Job',
    at: ['spec', 'template'],
    remedy: 'a run is resolved once: use a new name for a new run',
  },
  { apiGroup: 'batch', kind: 'Job', at: ['spec', 'selector'], remedy: 'use a new name for a new run' },
  {
    apiGroup: API_VERSION.split('/')[0] ?? '',
    kind: RUN_KIND,
    at: ['spec'],
    remedy: 'the spec of a run is immutable: use a new name for a new run',
  },
  {
    apiGroup: 'rbac.authorization.k8s.io',
    kind: 'RoleBinding',
    at: ['roleRef'],
    remedy: 'a binding with another roleRef has to have another name',
  },
  {
    apiGroup: 'rbac.authorization.k8s.io',
    kind: 'ClusterRoleBinding',
    at: ['roleRef'],
    remedy: 'a binding with another roleRef has to have another name',
  },
];

/** Fields of a claim's spec that may change after it was created; all others are fixed. */
const MUTABLE_CLAIM_FIELDS: ReadonlySet<string> = new Set(['resources', 'volumeAttributesClassName']);

/** Fields of a claim that the cluster fills in when nobody does, with a value that cannot be known from manifests. */
const CHOSEN_BY_THE_CLUSTER: ReadonlySet<string> = new Set(['storageClassName', 'volumeName', 'volumeMode']);

/** The changes from `before` to `after`, one object each, that the API server would refuse. */
export function refusedChanges(before: PlannedObject, after: PlannedObject): Refusal[] {
  const group = after.apiVersion.includes('/') ? after.apiVersion.slice(0, after.apiVersion.indexOf('/')) : '';
  const rules = IMMUTABLE.filter((rule) => rule.apiGroup === group && rule.kind === after.kind);
  const fixed = rules.flatMap((rule) =>
    differences(at(before, rule.at), at(after, rule.at)).map((difference) => ({
      path: join(rule.at, difference.path),
      message: `cannot be changed once the object exists; ${rule.remedy}`,
      certain: true,
    })),
  );
  return after.kind === 'PersistentVolumeClaim' ? [...fixed, ...refusedClaimChanges(before, after)] : fixed;
}

function refusedClaimChanges(before: PlannedObject, after: PlannedObject): Refusal[] {
  const [from, to] = [(before.spec ?? {}) as Spec, (after.spec ?? {}) as Spec];
  const fixed = differences(from, to)
    .map((difference) => ({ ...difference, field: difference.path.split(/[.[]/)[0] ?? '' }))
    .filter(({ field }) => !MUTABLE_CLAIM_FIELDS.has(field))
    .map(({ field, path, before: value }): Refusal => {
      const isOpen = value === undefined && CHOSEN_BY_THE_CLUSTER.has(field);
      return {
        path: join(['spec'], path),
        message: isOpen
          ? 'is accepted only if it is what the cluster chose when the claim was made'
          : 'cannot be changed once the claim exists; move the data to a new claim and use existingClaimName',
        certain: !isOpen,
      };
    });
  const [size, wanted] = [requestedStorage(from), requestedStorage(to)];
  if (size === undefined || wanted === undefined || !(compareQuantities(wanted, size) < 0)) return fixed;
  return [
    ...fixed,
    {
      path: 'spec.resources.requests.storage',
      message: `a claim cannot shrink from ${size} to ${wanted}`,
      certain: true,
    },
  ];
}

function requestedStorage(spec: Spec): string | undefined {
  const storage = at(spec, ['resources', 'requests', 'storage']);
  return typeof storage === 'string' || typeof storage === 'number' ? String(storage) : undefined;
}

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value);
}

function join(prefix: readonly string[], path: string): string {
  const separator = path === '' || path.startsWith('[') ? '' : '.';
  return `${prefix.join('.')}${separator}${path}`;
}
