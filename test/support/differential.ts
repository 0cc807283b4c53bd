import { isObject } from '../../lib/api/canonical-json.js';
import { applyDefaults } from '../../lib/api/defaults.js';
import { specDigest } from '../../lib/api/digest.js';
import type { HermesAgentObject, ResolvedAgent, ResolvedAgentSpec } from '../../lib/api/hermes-agent.js';
import { normalizeSpec } from '../../lib/api/normalize.js';
import { renderAgent } from '../../lib/children/render-agent.js';
import { formatPath, type Problem } from '../../lib/validation/problem.js';
import { STRICTER_RULES } from '../../lib/validation/stricter-rules.js';
import { validateAgent, type ValidationOptions } from '../../lib/validation/validate-agent.js';
import type { DryRun, ServerAnswer } from './verdict-of-server.js';

/** How rendering and the API server stand to one object. */
export type Outcome = 'accepted by both' | 'refused by both' | 'stricter' | 'disagreement';

/** Both verdicts on one object. */
export interface Comparison {
  readonly outcome: Outcome;
  readonly problems: readonly Problem[];
  readonly answers: readonly ServerAnswer[];
}

const STRICTER = new Set(STRICTER_RULES.map(({ rule }) => rule));

/** Warnings of things that the API server has no opinion on. */
const OWN_WARNINGS: ReadonlySet<string> = new Set([
  'DashboardWithoutAuth',
  'FluxSubstitution',
  'IgnoredMetadata',
  'IngressWithoutAuth',
  'LeadingDash',
  'MovingTag',
  'NetworkPolicySurprise',
  'OverriddenVariable',
  'ProbeBlocked',
  'UnusedInstructions',
]);

/** Asks both for their verdict on an agent, and the API server on all that is rendered of it too. */
export async function compare(agent: unknown, dryRun: DryRun, options: ValidationOptions): Promise<Comparison> {
  const { agent: resolved, problems } = validateAgent(agent, options);
  const asWritten = await dryRun.create(agent);
  // What the API server refuses has no children, whatever rendering says of it.
  const answers = asWritten.isAccepted
    ? [asWritten, ...(await childAnswers(resolved ?? resolvedAnyway(agent), dryRun))]
    : [asWritten];
  return { outcome: outcomeOf({ isAccepted: resolved !== undefined, problems, answers }), problems, answers };
}

/** The comparison in words, for a report of a failure. */
export function describeComparison({ outcome, problems, answers }: Comparison): string {
  const synth = problems.map(
    ({ severity, rule, path, message }) => `  ${severity} ${rule} ${formatPath(path)} ${message}`,
  );
  const server = answers
    .filter(({ isAccepted, messages }) => !isAccepted || messages.length > 0)
    .map(
      ({ object, isAccepted, messages }) =>
        `  ${isAccepted ? 'warns of' : 'refuses'} ${object}: ${messages.join('; ')}`,
    );
  const lines = (said: readonly string[]): string => (said.length === 0 ? '  accepts' : said.join('\n'));
  return `${outcome}\nsynth:\n${lines(synth)}\nAPI server:\n${lines(server)}`;
}

/** Both verdicts on an object. */
export interface Verdicts {
  readonly isAccepted: boolean;
  readonly problems: readonly Problem[];
  readonly answers: readonly ServerAnswer[];
}

/** How the two verdicts stand to each other. */
export function outcomeOf({ isAccepted, problems, answers }: Verdicts): Outcome {
  const serverAccepts = answers.every((answer) => answer.isAccepted);
  if (isAccepted) {
    const isWarned = answers.some(({ messages }) => messages.length > 0);
    const warns = problems.some(({ rule }) => !OWN_WARNINGS.has(rule));
    return serverAccepts && (!isWarned || warns) ? 'accepted by both' : 'disagreement';
  }
  if (!serverAccepts) return 'refused by both';
  const errors = problems.filter(({ severity }) => severity === 'error');
  return errors.every(({ rule }) => STRICTER.has(rule)) ? 'stricter' : 'disagreement';
}

/** Answers to the children; what cannot even be rendered counts as refused. */
async function childAnswers(agent: ResolvedAgent | undefined, dryRun: DryRun): Promise<readonly ServerAnswer[]> {
  if (agent === undefined) return [{ object: 'children', isAccepted: false, messages: ['cannot be rendered'] }];
  return Promise.all(
    renderAgent(agent).map((manifest) =>
      // Mostly the same as what was written, and then the answer is known.
      manifest.kind === 'HermesAgent' ? dryRun.create(manifest) : dryRun.apply(manifest),
    ),
  );
}

/** An agent that validation refuses, completed as if it had not: to see whether its children would be refused too. */
function resolvedAnyway(agent: unknown): ResolvedAgent | undefined {
  if (!isObject(agent) || !isObject(agent['metadata'])) return undefined;
  const { name, namespace } = agent['metadata'];
  if (typeof name !== 'string' || typeof namespace !== 'string') return undefined;
  try {
    const spec = normalizeSpec(agent['spec']) as HermesAgentObject['spec'];
    const { labels, annotations } = agent['metadata'];
    const metadata = {
      name,
      namespace,
      ...(isObject(labels) && { labels }),
      ...(isObject(annotations) && { annotations }),
    };
    const object = { ...agent, metadata, spec } as unknown as HermesAgentObject;
    const resolved = { object, name, namespace, spec: applyDefaults(spec) as ResolvedAgentSpec };
    const complete = { ...resolved, digest: specDigest(spec) };
    renderAgent(complete);
    return complete;
  } catch {
    return undefined;
  }
}
