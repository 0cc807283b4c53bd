import {
  type AgentRestart,
  type EffectReason,
  isDigest,
  isDigestOnly,
  type ObjectIdentity,
  type Plan,
  type RefusedChange,
} from '../../lib/plan/compare.js';
import type { Difference } from '../../lib/plan/difference.js';

/** Most fields that are shown of one object; a new container changes dozens. */
const MAX_FIELDS = 10;
const MAX_VALUE = 80;
const MAX_ANSWER = 300;

const REASONS: Readonly<Record<EffectReason, string>> = {
  created: 'new',
  deleted: 'removed',
  suspended: 'suspended',
  resumed: 'no longer suspended',
  template: '',
};

/** A plan as people read it in a pull request: what happens to agents, then to objects, then what cannot be. */
export function planText(plan: Plan): string {
  const shown = plan.changed.filter((change) => !isDigestOnly(change));
  const quiet = plan.changed.length - shown.length;
  const objects = [
    ...plan.created.map((object) => `+ ${nameOf(object)}`),
    ...shown.flatMap(({ object, differences }) => [`~ ${nameOf(object)}`, ...fieldLines(differences)]),
    ...plan.deleted.map((object) => `- ${nameOf(object)}`),
    ...plan.kept.map((object) => `= ${nameOf(object)}: not rendered any more, kept by its marks`),
    ...(quiet === 0 ? [] : [`~ ${count(quiet, 'more object')}: the spec digest alone`]),
  ];
  const blocks = [plan.restarts.map(restartLine), objects, plan.refused.flatMap(refusalLines)];
  return [...blocks.filter((block) => block.length > 0).map((block) => block.join('\n')), summary(plan)].join('\n\n');
}

function restartLine({ namespace, agent, effect, reason, because }: AgentRestart): string {
  const head = `${effect.padEnd(7)} ${namespace}/${agent}`;
  if (reason !== 'template') return `${head}: ${REASONS[reason]}`;
  const more = because.length > MAX_FIELDS ? ` and ${because.length - MAX_FIELDS} more` : '';
  const fields = because.slice(0, MAX_FIELDS).map(({ path }) => path);
  return `${head}: ${fields.join(', ')}${more}`;
}

function fieldLines(all: readonly Difference[]): string[] {
  const differences = all.filter((difference) => !isDigest(difference));
  const lines = differences
    .slice(0, MAX_FIELDS)
    .map(({ path, before, after }) => `    ${path}: ${valueText(before)} -> ${valueText(after)}`);
  return differences.length > MAX_FIELDS ? [...lines, `    and ${differences.length - MAX_FIELDS} more`] : lines;
}

function refusalLines({ object, path, message, certain, answer }: RefusedChange): string[] {
  const place = path === '' ? '' : `${path}: `;
  const line = `${certain ? '!' : '?'} ${nameOf(object)}: ${place}${shorten(message, MAX_ANSWER)}`;
  return answer === undefined ? [line] : [line, `    ${shorten(answer, MAX_ANSWER)}`];
}

function summary(plan: Plan): string {
  const { created, changed, deleted, kept, restarts } = plan;
  const refused = plan.refused.filter(({ certain }) => certain).length;
  const effects = (['restart', 'start', 'stop'] as const)
    .map((effect) => ({ effect, agents: restarts.filter((restart) => restart.effect === effect).length }))
    .filter(({ agents }) => agents > 0)
    .map(({ effect, agents }) => `${count(agents, 'agent')} to ${effect}`);
  const parts = [
    ...effects,
    ...(created.length > 0 ? [`${created.length} to create`] : []),
    ...(changed.length > 0 ? [`${changed.length} to change`] : []),
    ...(deleted.length > 0 ? [`${deleted.length} to delete`] : []),
    ...(kept.length > 0 ? [`${kept.length} to keep`] : []),
    ...(refused > 0 ? [`${refused} refused`] : []),
  ];
  return `plan: ${parts.length === 0 ? 'nothing changes' : parts.join(', ')}`;
}

function nameOf({ kind, namespace, name }: ObjectIdentity): string {
  return `${kind} ${namespace === '' ? name : `${namespace}/${name}`}`;
}

function valueText(value: unknown): string {
  return value === undefined ? '(none)' : shorten(JSON.stringify(value), MAX_VALUE);
}

/** One line of at most `limit` characters. */
function shorten(text: string, limit: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= limit ? line : `${line.slice(0, limit - 1)}…`;
}

function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? '' : 's'}`;
}
