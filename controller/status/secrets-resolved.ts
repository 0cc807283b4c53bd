import { REASONS } from '../../lib/api/reasons.js';
import type { Pod } from '../kube/objects.js';
import { isFalse, isTrue, isUnknown, type ConditionDraft } from './conditions.js';
import type { AgentFacts } from './facts.js';
import { sortedList } from './messages.js';
import type { ObservedAgent, SecretObservation } from './observed.js';
import { secretReferences, type SecretReference } from './secret-references.js';

/** SecretsResolved: whether everything that the containers take from Secrets is there. Names only, never values. */
export function secretsResolved(observed: ObservedAgent, facts: AgentFacts): ConditionDraft {
  const wanted = secretReferences(observed.agent.spec).filter((reference) => !reference.optional);
  const states = wanted.map((reference) => ({ reference, observation: observed.secrets.get(reference.name) }));
  const gone = states.filter(({ observation }) => observation?.state === 'missing');
  const missing = [...gone, ...states.filter(({ reference, observation }) => lacksKey(reference, observation))];
  if (missing.length > 0) {
    const names = sortedList(missing.map(({ reference }) => describe(reference)));
    const running = facts.livePods.some(hasRunningContainer) ? '; the pod that runs still has the old values' : '';
    return isFalse(gone.length > 0 ? REASONS.secretNotFound : REASONS.secretKeyNotFound, `missing: ${names}${running}`);
  }
  const unread = states.flatMap(({ reference, observation }) => unreadable(reference, observation));
  if (unread.length > 0) return isUnknown(REASONS.readFailed, `cannot be read: ${sortedList(unread)}`);
  return isTrue(REASONS.secretsFound);
}

function hasRunningContainer({ status }: Pod): boolean {
  return status?.containerStatuses?.some(({ state }) => state?.running !== undefined) ?? false;
}

function lacksKey({ key }: SecretReference, observation: SecretObservation | undefined): boolean {
  return observation?.state === 'found' && key !== undefined && !observation.keys.has(key);
}

function unreadable(reference: SecretReference, observation: SecretObservation | undefined): string[] {
  if (observation === undefined) return [`${reference.name} (not read yet)`];
  return observation.state === 'unreadable' ? [`${reference.name} (${observation.message})`] : [];
}

function describe({ name, key }: SecretReference): string {
  return key === undefined ? name : `${name}[${key}]`;
}
