import { beforeAll, expect, it } from 'vitest';

import { describeOnBed, sharedBed } from '../../cluster/bed.js';
import { installCrds } from '../../cluster/install-crds.js';
import { compare, describeComparison } from '../../support/differential.js';
import { exampleAgents, kitchenSink } from '../../support/mutations/bases.js';
import { runCampaign, type CampaignReport } from '../../support/mutations/campaign.js';
import { fieldGroups } from '../../support/mutations/field-groups.js';
import { metadataGroups } from '../../support/mutations/metadata-groups.js';
import { nativeGroups } from '../../support/mutations/native-groups.js';
import { ruleGroups } from '../../support/mutations/rule-groups.js';
import { celRules, specSites } from '../../support/mutations/schema-sites.js';
import { DryRun } from '../../support/verdict-of-server.js';

const SEED = 20_261;
const LEAST_PER_GROUP = 10;
const TIMEOUT_MS = 600_000;

/** Both lists as wide as the agents of the comparison need, and one role and namespace that are in neither. */
const GATES = { allowedClusterRoles: ['metrics', 'view'], allowedBindingNamespaces: ['shared'] };

const NAMESPACES = ['lab', 'research', 'support', 'shared', 'n'.repeat(63)];

describeOnBed('what rendering accepts is what the API server accepts', () => {
  const { client } = sharedBed();
  const dryRun = new DryRun(client);
  let report: CampaignReport;

  beforeAll(async () => {
    await installCrds(client);
    for (const name of NAMESPACES) await client.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const groups = [...fieldGroups(), ...ruleGroups(celRules()), ...metadataGroups(), ...nativeGroups()];
    report = await runCampaign(groups, { seed: SEED, judge: (agent) => compare(agent, dryRun, GATES) });
    process.stdout.write(`\n${summary(report, dryRun.requests)}\n`);
  }, TIMEOUT_MS);

  it.each([kitchenSink, ...exampleAgents].map((agent) => [agent.metadata['name'], agent]))(
    'takes the agent %s that mutations start from',
    async (_name, agent) => {
      const comparison = await compare(agent, dryRun, GATES);
      expect(comparison.outcome, describeComparison(comparison)).toBe('accepted by both');
    },
  );

  it('finds no object on which the two disagree', () => {
    expect(report.disagreements.join('\n\n')).toBe('');
  });

  it('looks at every field path and every rule often enough', () => {
    const sizes = [...report.groups.values()].map(({ compared }) => compared);
    expect(report.groups.size).toBeGreaterThanOrEqual(specSites().length + celRules().length);
    expect(Math.min(...sizes), scarcest(report)).toBeGreaterThanOrEqual(LEAST_PER_GROUP);
  });

  it('sees every rule kept and broken', () => {
    const oneSided = [...report.groups]
      .filter(
        ([name, { outcomes }]) =>
          name.startsWith('rule: ') && !(outcomes['accepted by both'] && outcomes['refused by both']),
      )
      .map(([name]) => name);
    expect(oneSided).toEqual([]);
  });

  it('compares enough objects, and enough that are good', () => {
    const { compared, accepted } = totals(report);
    expect(compared).toBeGreaterThanOrEqual(5000);
    expect(accepted / compared).toBeGreaterThanOrEqual(0.4);
  });
});

interface Totals {
  readonly compared: number;
  readonly accepted: number;
  readonly refused: number;
  readonly stricter: number;
  readonly disagreements: number;
}

function totals({ groups }: CampaignReport): Totals {
  const tallies = [...groups.values()];
  const sum = (pick: (tally: (typeof tallies)[number]) => number): number =>
    tallies.reduce((all, tally) => all + pick(tally), 0);
  return {
    compared: sum(({ compared }) => compared),
    accepted: sum(({ outcomes }) => outcomes['accepted by both']),
    refused: sum(({ outcomes }) => outcomes['refused by both']),
    stricter: sum(({ outcomes }) => outcomes.stricter),
    disagreements: sum(({ outcomes }) => outcomes.disagreement),
  };
}

function scarcest({ groups }: CampaignReport): string {
  return [...groups]
    .filter(([, { compared }]) => compared < LEAST_PER_GROUP)
    .map(([name, { compared }]) => `${compared} ${name}`)
    .join('\n');
}

function summary(report: CampaignReport, requests: number): string {
  const { compared, accepted, refused, stricter } = totals(report);
  const smallest = (isRule: boolean): number =>
    Math.min(
      ...[...report.groups].filter(([name]) => name.startsWith('rule: ') === isRule).map(([, tally]) => tally.compared),
    );
  const rules = [...report.stricter].sort().map(([rule, count]) => `${rule} ${count}`);
  return [
    `compared ${compared} objects in ${requests} requests`,
    `accepted by both ${accepted} (${Math.round((100 * accepted) / compared)} %), refused by both ${refused}`,
    `stricter on purpose ${stricter}: ${rules.join(', ')}`,
    `unexplained ${report.disagreements.length}`,
    `smallest count: ${smallest(false)} for a field path, ${smallest(true)} for a rule`,
  ].join('\n');
}
