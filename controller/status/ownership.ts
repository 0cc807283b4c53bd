import { LABELS } from '../../lib/api/identity.js';
import {
  agentResourceName,
  clusterRoleBindingName,
  dashboardName,
  dataClaimName,
  roleBindingName,
  selfRoleName,
  type RoleRef,
} from '../../lib/names.js';
import type { Binding, KubeObject } from '../kube/objects.js';

/** Whose an object may be, by the names that rendering gives to the objects of an agent. */
export interface Owner {
  readonly name: string;
  readonly namespace: string;
  readonly serviceAccounts: readonly string[];
}

/** Everything that rendering names after the agent alone. */
const CHILD_NAMES: Readonly<Record<string, readonly ((agent: string) => string)[]>> = {
  Deployment: [agentResourceName],
  Ingress: [dashboardName],
  NetworkPolicy: [agentResourceName],
  PersistentVolumeClaim: [dataClaimName],
  Role: [selfRoleName],
  Service: [agentResourceName, dashboardName],
  ServiceAccount: [agentResourceName],
};

/** Whether an object is the agent's: in its namespace, rendered for it, and of a name that rendering gives. */
export function isOwnChild({ kind = '', metadata }: KubeObject, owner: Owner): boolean {
  if (metadata.namespace !== owner.namespace) return false;
  if (metadata.labels?.[LABELS.agentNamespace] !== owner.namespace) return false;
  return CHILD_NAMES[kind]?.some((nameOf) => nameOf(owner.name) === metadata.name) ?? false;
}

/**
 * Whether a binding is the agent's: its name is the one that follows from its own roleRef, and the agent's
 * ServiceAccount is its only subject. Labels prove nothing: anybody can write them.
 */
export function isOwnBinding({ roleRef, subjects = [], metadata }: Binding, owner: Owner): boolean {
  const [subject] = subjects;
  const isOnlySubject =
    subjects.length === 1 &&
    subject?.kind === 'ServiceAccount' &&
    subject.namespace === owner.namespace &&
    owner.serviceAccounts.includes(subject.name ?? '');
  if (!isOnlySubject || (roleRef?.kind !== 'Role' && roleRef?.kind !== 'ClusterRole')) return false;
  const ref: RoleRef = { kind: roleRef.kind, name: roleRef.name ?? '' };
  if (metadata.namespace === undefined) {
    return metadata.name === clusterRoleBindingName(owner.name, owner.namespace, ref);
  }
  const isSelf = metadata.namespace === owner.namespace && metadata.name === selfRoleName(owner.name);
  return isSelf || metadata.name === roleBindingName(owner.name, owner.namespace, metadata.namespace, ref);
}
