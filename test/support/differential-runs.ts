import type { AgentRunObject, ResolvedRun, ResolvedRunSpec } from '../../lib/api/agent-run.js';
import { isObject } from '../../lib/api/canonical-json.js';
import { applyDefaults } from '../../lib/api/defaults.js';
import type { ResolvedAgent } from '../../lib/api/hermes-agent.js';
import { normalizeSpec } from '../../lib/api/normalize.js';
import { RUN_SPEC_SCHEMA } from '../../lib/api/schema-access.js';
import { renderRun } from '../../lib/children/run/render-run.js';
import { neighboursOf } from '../../lib/runs/neighbours.js';
import { resolveRun } from '../../lib/runs/resolve-run.js';
import type { PathSegment } from '../../lib/validation/problem.js';
import { runSpecDigest, validateRun } from '../../lib/validation/validate-run.js';
import { type Comparison, outcomeOf } from './differential.js';
import type { DryRun, ServerAnswer } from './verdict-of-server.js';

/** What is put in the place of every value of a run. */
const REPLACEMENTS: readonly unknown[] = [
  null,
  '',
  'a',
  'A b',
  '-',
  '/x/../y',
  'x'.repeat(300),
  true,
  0,
  -1,
  1.5,
  2 ** 31,
  [],
  [''],
  [null],
  {},
  { x: 'y' },
];

/** `value`, and `value` with each of its parts in turn taken out or replaced, with a name for each. */
export function* variants(value: unknown): Generator<readonly [string, unknown]> {
  for (const path of pathsIn(value)) {
    const name = path.join('.');
    yield [`without ${name}`, changed(value, path, undefined)];
    for (const other of REPLACEMENTS)
      yield [`${name} = ${JSON.stringify(other).slice(0, 30)}`, changed(value, path, other)];
    yield [`with a field beside ${name}`, changed(value, [...path.slice(0, -1), 'unknwon'], 'x')];
  }
}

function* pathsIn(value: unknown, path: readonly PathSegment[] = []): Generator<readonly PathSegment[]> {
  if (path.length > 0) yield path;
  const entries = Array.isArray(value) ? value.entries() : isObject(value) ? Object.entries(value) : [];
  for (const [key, item] of entries) yield* pathsIn(item, [...path, key]);
}

function changed(value: unknown, [step, ...rest]: readonly PathSegment[], other: unknown): unknown {
  if (step === undefined) return other;
  if (Array.isArray(value)) {
    // A field beside the items of a list is no JSON.
    if (typeof step !== 'number') return value;
    const items = value.map((item: unknown, index) => (index === step ? changed(item, rest, other) : item));
    return items.filter((item) => item !== undefined);
  }
  const object = { ...(value as Readonly<Record<string, unknown>>) };
  const inner = changed(object[step], rest, other);
  if (inner !== undefined) return { ...object, [step]: inner };
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== String(step)));
}

/** Asks rendering and the API server for their verdict on a run, and the API server on what is rendered of it too. */
export async function compareRun(value: unknown, dryRun: DryRun, agent: ResolvedAgent): Promise<Comparison> {
  const { run, problems: own } = validateRun(value);
  const resolution = run && resolveRun(run, undefined, neighboursOf([agent]));
  const problems = [...own, ...(resolution?.problems ?? [])];
  const asWritten = await dryRun.create(value);
  const answers = asWritten.isAccepted ? [asWritten, ...(await childAnswers(value, dryRun, agent))] : [asWritten];
  return {
    outcome: outcomeOf({ isAccepted: resolution?.children !== undefined, problems, answers }),
    problems,
    answers,
  };
}

/** Whatever validation says: to see whether what would be rendered is refused too. */
async function childAnswers(value: unknown, dryRun: DryRun, agent: ResolvedAgent): Promise<readonly ServerAnswer[]> {
  const refused = [{ object: 'children', isAccepted: false, messages: ['cannot be rendered'] }];
  const { metadata } = value as AgentRunObject;
  if (!isObject(metadata)) return refused;
  try {
    const spec = normalizeSpec((value as AgentRunObject).spec, RUN_SPEC_SCHEMA) as AgentRunObject['spec'];
    const { name, namespace, labels, annotations } = metadata as AgentRunObject['metadata'];
    const run: ResolvedRun = {
      object: {
        ...(value as AgentRunObject),
        metadata: { name, namespace, ...(labels && { labels }), ...(annotations && { annotations }) },
        spec,
      },
      name,
      namespace,
      spec: applyDefaults(spec, RUN_SPEC_SCHEMA) as ResolvedRunSpec,
      digest: runSpecDigest(spec),
      agent: spec.agentRef === undefined ? undefined : agent,
    };
    return await Promise.all(
      renderRun(run).map((manifest) =>
        manifest.kind === 'AgentRun' ? dryRun.create(manifest) : dryRun.apply(manifest),
      ),
    );
  } catch {
    return refused;
  }
}
