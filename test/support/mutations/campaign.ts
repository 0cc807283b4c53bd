import fc from 'fast-check';

import type { Problem } from '../../../lib/validation/problem.js';
import { describeComparison, type Comparison, type Outcome } from '../differential.js';

/** Objects that are mutated in one way. `name` is the line that the report counts them under. */
export interface Group {
  readonly name: string;
  /** Tried whatever the seed is. */
  readonly always: readonly unknown[];
  /** Drawn from with the seed, and shrunk when the two verdicts differ. */
  readonly any: fc.Arbitrary<unknown>;
  /** How many are drawn. */
  readonly draws: number;
}

/** What is done with each object. */
export interface CampaignOptions {
  readonly seed: number;
  readonly judge: (agent: unknown) => Promise<Comparison>;
}

/** What a group showed. */
export interface GroupTally {
  readonly compared: number;
  readonly outcomes: Readonly<Record<Outcome, number>>;
}

/** What all groups showed. */
export interface CampaignReport {
  readonly groups: ReadonlyMap<string, GroupTally>;
  /** How often each rule alone stood between an object and the cluster. */
  readonly stricter: ReadonlyMap<string, number>;
  /** The smallest object found for each group in which the verdicts differ, both verdicts with it. */
  readonly disagreements: readonly string[];
}

/** Groups under way at one time; the objects of one group come one after the other, so that they can be shrunk. */
const PARALLEL_GROUPS = 24;

/** Compares all objects of all groups. A group stops at its first disagreement, and shrinks it. */
export async function runCampaign(groups: readonly Group[], options: CampaignOptions): Promise<CampaignReport> {
  const tallies = new Map<string, GroupTally>();
  const stricter = new Map<string, number>();
  const disagreements: string[] = [];
  const waiting = groups.entries();
  const work = async (): Promise<void> => {
    for (const [index, group] of waiting) {
      const counted = new Map<string, Comparison>();
      const found = await disagreementOf(group, { seed: options.seed + index, judge: options.judge }, counted);
      if (found !== undefined) disagreements.push(`${group.name}: ${found}`);
      tallies.set(group.name, tallyOf([...counted.values()]));
      const refused = [...counted.values()].filter(({ outcome }) => outcome === 'stricter');
      refused
        .flatMap(({ problems }) => [...errorRules(problems)])
        .forEach((rule) => {
          increment(stricter, rule);
        });
    }
  };
  await Promise.all(Array.from({ length: PARALLEL_GROUPS }, work));
  return { groups: tallies, stricter, disagreements };
}

/** The smallest object of a group that the two judge differently, in words. */
async function disagreementOf(
  group: Group,
  { seed, judge }: CampaignOptions,
  counted: Map<string, Comparison>,
): Promise<string | undefined> {
  let last = '';
  const property = fc.asyncProperty(group.any, async (agent) => {
    const comparison = await judge(agent);
    counted.set(JSON.stringify(agent), comparison);
    if (comparison.outcome !== 'disagreement') return;
    last = `${JSON.stringify(agent)}\n${describeComparison(comparison)}`;
    throw new Error(last);
  });
  const result = await fc.check(property, {
    seed,
    numRuns: group.always.length + group.draws,
    examples: group.always.map((agent) => [agent] as [unknown]),
  });
  if (!result.failed) return undefined;
  return result.errorInstance instanceof Error ? result.errorInstance.message : last;
}

function tallyOf(comparisons: readonly Comparison[]): GroupTally {
  const outcomes = { 'accepted by both': 0, 'refused by both': 0, stricter: 0, disagreement: 0 };
  for (const { outcome } of comparisons) outcomes[outcome] += 1;
  return { compared: comparisons.length, outcomes };
}

function errorRules(problems: readonly Problem[]): ReadonlySet<string> {
  return new Set(problems.filter(({ severity }) => severity === 'error').map(({ rule }) => rule));
}

function increment(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
