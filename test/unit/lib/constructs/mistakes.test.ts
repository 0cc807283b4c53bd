import { App, Chart, Lazy } from 'cdk8s';
import { describe, expect, it } from 'vitest';
import type { HermesAgentSpec } from '../../../../lib/api/generated/types.js';
import { AgentRun } from '../../../../lib/constructs/agent-run.js';
import { HermesAgent, type HermesAgentProps } from '../../../../lib/constructs/hermes-agent.js';
import { CLAIM } from '../../../support/resolved-agent.js';

const SPEC: HermesAgentSpec = { image: 'registry.example.net/hermes:v1', storage: { persistentVolumeClaim: CLAIM } };
const RUN = { image: 'registry.example.net/hermes:v1', instructions: 'sum up' };

/** What is wrong with the constructs below, as cdk8s says it. */
function complaints(scope: Chart | App): string[] {
  return scope.node
    .findAll()
    .flatMap((construct) => construct.node.validate().map((message) => `[${construct.node.path}] ${message}`));
}

/** An agent as a program without types may write it. */
function agent(scope: Chart, props: object): HermesAgent {
  return new HermesAgent(scope, 'agent', props as HermesAgentProps);
}

const chart = (): Chart => new Chart(new App(), 'lab', { namespace: 'lab' });

describe('a program that writes what is no data', () => {
  const itself: Record<string, unknown> = {};
  itself['itself'] = itself;

  it.each<[string, object, string]>([
    ['NaN', { terminationGracePeriodSeconds: NaN }, 'spec.terminationGracePeriodSeconds: is NaN (write a number)'],
    [
      'a bigint',
      { terminationGracePeriodSeconds: 300n },
      'spec.terminationGracePeriodSeconds: is a bigint, which no manifest can hold (write text, a number or a boolean)',
    ],
    [
      'a function',
      { image: () => 'x' },
      'spec.image: is a function, which no manifest can hold (write text, a number or a boolean)',
    ],
    [
      'a value for later',
      { image: Lazy.any({ produce: () => 'x' }) as unknown },
      'spec.image: is a Lazy value, and agents and runs are rendered where they are written (write the value)',
    ],
    [
      'a Map',
      { nodeSelector: new Map([['a', 'b']]) },
      'spec.nodeSelector: is a Map, which no manifest can hold (write a plain object or a list)',
    ],
    ['what contains itself', { podLabels: itself }, 'spec.podLabels.itself: contains itself (write plain data)'],
  ])('hears of %s once, at its field', (_, fields, complaint) => {
    const scope = chart();
    const { deployment } = agent(scope, { metadata: { name: 'mia' }, spec: { ...SPEC, ...fields } });
    expect([complaints(scope), deployment]).toEqual([[`[lab/agent] ${complaint}`], undefined]);
  });

  it('hears the same of a run', () => {
    const scope = chart();
    const props = { metadata: { name: 'r' }, spec: { ...RUN, activeDeadlineSeconds: Infinity } };
    const { workload } = new AgentRun(scope, 'run', props);
    const complaint = '[lab/run] spec.activeDeadlineSeconds: is Infinity (write a number)';
    expect([complaints(scope), workload]).toEqual([[complaint], undefined]);
  });

  it.each([undefined, null, {}])('hears that %s is no metadata', (metadata) => {
    const scope = chart();
    agent(scope, { metadata, spec: SPEC });
    expect(complaints(scope)).toEqual(['[lab/agent] metadata.name: is required (add metadata.name)']);
  });

  it('may use one value twice, dates, and fields that are undefined', () => {
    const scope = chart();
    const env = [{ name: 'SINCE', value: new Date(0) }];
    const { deployment } = agent(scope, {
      metadata: { name: 'mia', labels: undefined },
      spec: { ...SPEC, env, suspend: undefined, dashboard: { enabled: true, env } },
    });
    expect(complaints(scope)).toEqual([]);
    expect(JSON.stringify(deployment?.toJson()).match(/1970-01-01T00:00:00\.000Z/g)).toHaveLength(2);
  });
});

describe('settings of the platform that a program passes along', () => {
  const rbac = { clusterRoleBindings: [{ roleRef: { kind: 'ClusterRole', name: 'cluster-admin' } }] };

  it.each<[object, string]>([
    [{ allowedClusterRoles: 'no-cluster-admin' }, "allowedClusterRoles: has to be a list of names (write ['a', 'b'])"],
    [
      { allowedClusterRoles: ['cluster-admin'], allowedBindingNamespaces: 'lab' },
      "allowedBindingNamespaces: has to be a list of names (write ['a', 'b'])",
    ],
    [
      { allowedClusterRoles: ['cluster-admin'], controllerNamespace: 'No Namespace' },
      "controllerNamespace: has to be lower-case letters, digits and '-', with a letter or digit at both ends (write the name of a namespace)",
    ],
  ])('are checked: %j', (settings, complaint) => {
    const scope = chart();
    const { clusterRoleBindings } = agent(scope, { metadata: { name: 'mia' }, spec: { ...SPEC, rbac }, ...settings });
    expect([complaints(scope), clusterRoleBindings]).toEqual([[`[lab/agent] ${complaint}`], []]);
  });
});

describe('an object that two constructs render', () => {
  it('is an error of the second in one chart, which names the first', () => {
    const scope = chart();
    agent(scope, { metadata: { name: 'mia' }, spec: SPEC });
    const second = new HermesAgent(scope, 'again', { metadata: { name: 'mia' }, spec: SPEC });
    new AgentRun(scope, 'run', { metadata: { name: 'mia' }, spec: RUN });
    new AgentRun(scope, 'rerun', { metadata: { name: 'mia' }, spec: RUN });
    const hint = 'give one of the two another name or namespace';
    expect(complaints(scope)).toEqual([
      `[lab/again] metadata.name: renders HermesAgent lab/mia, which lab/agent renders too (${hint})`,
      `[lab/rerun] metadata.name: renders AgentRun lab/mia, which lab/run renders too (${hint})`,
    ]);
    expect(second.deployment).toBeUndefined();
  });

  it('may be in two charts, which may go to two clusters, and be written again when it was taken out', () => {
    const app = new App();
    for (const cluster of ['staging', 'production']) {
      const scope = new Chart(app, cluster, { namespace: 'lab' });
      agent(scope, { metadata: { name: 'mia' }, spec: SPEC });
      scope.node.tryRemoveChild('agent');
      new HermesAgent(scope, 'again', { metadata: { name: 'mia' }, spec: SPEC });
    }
    expect(complaints(app)).toEqual([]);
  });
});
