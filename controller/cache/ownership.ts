import { LABELS } from '../../lib/api/identity.js';
import type { KubeObject } from '../kube/objects.js';
import type { StoreChange } from './store.js';

/**
 * Keys of the agents that an object may belong to, by its labels. Labels prove nothing; whether the object is really the
 * agent's is decided where it is used.
 */
export function agentKeysOf(object: KubeObject): readonly string[] {
  const { namespace, labels } = object.metadata;
  const agent = labels?.[LABELS.agent];
  if (agent === undefined || agent === '') return [];
  const keys = new Set<string>();
  if (namespace !== undefined) keys.add(`${namespace}/${agent}`);
  const labelled = labels?.[LABELS.agentNamespace];
  if (labelled !== undefined && labelled !== '') keys.add(`${labelled}/${agent}`);
  return [...keys];
}

/** Key of the run that an object may belong to, by its label; none or one. */
export function runKeysOf(object: KubeObject): readonly string[] {
  const { namespace, labels } = object.metadata;
  const run = labels?.[LABELS.run];
  return namespace === undefined || run === undefined || run === '' ? [] : [`${namespace}/${run}`];
}

/** Keys of all that a change is about: an object may belong to another one than before. */
export function keysOfChange<T extends KubeObject>(
  { former, current }: StoreChange<T>,
  keysOf: (object: T) => readonly string[],
): ReadonlySet<string> {
  return new Set([former, current].flatMap((object) => (object === undefined ? [] : keysOf(object))));
}
