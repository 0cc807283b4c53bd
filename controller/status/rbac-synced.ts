import { gateRefusals, type RequestedBinding } from '../../lib/api/binding-gates.js';
import { CONDITION_TYPES, REASONS } from '../../lib/api/reasons.js';
import { agentResourceName, clusterRoleBindingName, roleBindingName, type RoleRef } from '../../lib/names.js';
import type { Binding } from '../kube/objects.js';
import { afterDelay, isFalse, isTrue, isUnknown, type Delayed } from './conditions.js';
import { formerCondition, type AgentFacts } from './facts.js';
import { sortedList } from './messages.js';
import type { ObservedAgent } from './observed.js';

/** An engine needs a moment between the spec and its bindings. */
const APPLYING_MS = 2 * 60_000;

/** One that deletes before it applies takes the bindings of the old spec away while that spec still stands. */
const REPLACING_MS = 10_000;

/** RBACSynced: whether every binding of the spec is in the cluster as the spec says. Absent while nothing is watched. */
export function rbacSynced(observed: ObservedAgent, facts: AgentFacts): Delayed | undefined {
  const { bindings } = observed;
  const refused = facts.spec.bindings.flatMap((binding) =>
    gateRefusals(binding, facts.agent.metadata.namespace ?? '', observed.gates),
  );
  if (refused.length > 0) {
    const rule = refused.some((refusal) => refusal.rule === REASONS.clusterRoleNotAllowed)
      ? REASONS.clusterRoleNotAllowed
      : REASONS.namespaceNotAllowed;
    return { draft: isFalse(rule, sortedList(refused.map((refusal) => refusal.message))) };
  }
  if (bindings === undefined) return undefined;
  if (facts.spec.bindings.length === 0) return { draft: isTrue(REASONS.bindingsInSync) };
  if (bindings.state === 'unreadable') return { draft: isUnknown(REASONS.readFailed, bindings.message) };
  return judge(
    facts.spec.bindings.map((binding) => inspect(binding, bindings.items, { observed, facts })),
    facts,
  );
}

interface Inspection {
  readonly state: 'synced' | 'missing' | 'drifted' | 'role-missing' | 'unreadable';
  readonly text: string;
}

function judge(inspections: readonly Inspection[], facts: AgentFacts): Delayed {
  const texts = (state: Inspection['state']): string =>
    sortedList(inspections.filter((inspection) => inspection.state === state).map((inspection) => inspection.text));
  const has = (state: Inspection['state']): boolean => texts(state) !== '';
  if (has('drifted')) return { draft: isFalse(REASONS.bindingDrifted, texts('drifted')) };
  if (has('role-missing')) return { draft: isFalse(REASONS.roleMissing, texts('role-missing')) };
  if (has('missing')) return missing(texts('missing'), facts);
  if (has('unreadable')) return { draft: isUnknown(REASONS.readFailed, texts('unreadable')) };
  return { draft: isTrue(REASONS.bindingsInSync) };
}

/**
 * A binding that is not there is no trouble yet: after a change of the spec the engine is still at it, and one that
 * vanishes later may be about to be replaced. Which of the two it is shows in the reason.
 */
function missing(names: string, facts: AgentFacts): Delayed {
  const { generation, now } = facts;
  const former = formerCondition(facts, CONDITION_TYPES.rbacSynced);
  const verdict = isFalse(REASONS.bindingMissing, `missing: ${names}`);
  const wasJudged = former?.observedGeneration === generation && former.reason !== REASONS.applying;
  const pending = wasJudged
    ? isUnknown(REASONS.bindingMissing, `not there any more: ${names}`)
    : isUnknown(REASONS.applying, `not there yet: ${names}`);
  return afterDelay(verdict, pending, { former, delayMs: wasJudged ? REPLACING_MS : APPLYING_MS, now });
}

function inspect(
  wanted: RequestedBinding,
  found: readonly Binding[],
  { observed, facts }: { readonly observed: ObservedAgent; readonly facts: AgentFacts },
): Inspection {
  const { name, namespace = '' } = facts.agent.metadata;
  const roleRef = wanted.roleRef as RoleRef;
  const expected =
    wanted.namespace === undefined
      ? clusterRoleBindingName(name, namespace, roleRef)
      : roleBindingName(name, namespace, wanted.namespace, roleRef);
  const label = wanted.namespace === undefined ? expected : `${wanted.namespace}/${expected}`;
  const binding = found.find(({ metadata }) => metadata.name === expected && metadata.namespace === wanted.namespace);
  if (binding === undefined) return { state: 'missing', text: `${label} (${roleRef.kind} ${roleRef.name})` };
  const drift = describeDrift(binding, roleRef, facts);
  if (drift !== undefined) return { state: 'drifted', text: `${label}: ${drift}` };
  return inspectRole(wanted, label, observed);
}

function inspectRole(
  { namespace = '', roleRef }: RequestedBinding,
  label: string,
  observed: ObservedAgent,
): Inspection {
  const scope = roleRef.kind === 'ClusterRole' ? '' : namespace;
  const role = observed.roles?.get(`${roleRef.kind}/${scope}/${roleRef.name}`);
  const text = `${roleRef.kind} ${scope === '' ? '' : `${scope}/`}${roleRef.name}`;
  if (role?.state === 'missing') return { state: 'role-missing', text: `${text} does not exist` };
  if (role?.state === 'unreadable') return { state: 'unreadable', text: `${text}: ${role.message}` };
  return { state: 'synced', text: label };
}

function describeDrift(binding: Binding, wanted: RoleRef, facts: AgentFacts): string | undefined {
  const { kind = 'unknown', name = 'unknown' } = binding.roleRef ?? {};
  if (kind !== wanted.kind || name !== wanted.name) return `roleRef is ${kind} ${name}`;
  const subjects = (binding.subjects ?? []).map((subject) =>
    subject.kind === 'ServiceAccount'
      ? `ServiceAccount ${subject.namespace ?? ''}/${subject.name ?? ''}`
      : `${subject.kind ?? 'unknown'} ${subject.name ?? ''}`,
  );
  const agent = facts.agent.metadata;
  const account = facts.spec.serviceAccountName ?? agentResourceName(agent.name);
  if (subjects.length === 1 && subjects[0] === `ServiceAccount ${agent.namespace ?? ''}/${account}`) return undefined;
  return `the subject is ${subjects.length === 0 ? 'nobody' : sortedList(subjects)}`;
}
