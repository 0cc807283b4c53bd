import { App, Chart, Testing } from 'cdk8s';
import { describe, expect, it } from 'vitest';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toYamlStream } from '../../../../lib/emit/yaml.js';
import { AgentRun, HermesAgent } from '../../../../lib/index.js';
import { CLAIM } from '../../../support/resolved-agent.js';

const SPEC = { agentRef: { name: 'mia' }, instructions: 'Sum it up.' };

function chart(): Chart {
  return new Chart(Testing.app(), 'runs', { namespace: 'lab' });
}

function mia(scope: Chart, image = 'registry.example.net/hermes:v1'): HermesAgent {
  return new HermesAgent(scope, 'mia', {
    metadata: { name: 'mia' },
    spec: { image, storage: { persistentVolumeClaim: CLAIM } },
  });
}

describe('AgentRun', () => {
  it('renders the run and its Job from the agent that is passed along', () => {
    const scope = chart();
    const run = new AgentRun(scope, 'sum', { metadata: { name: 'sum-1' }, spec: SPEC, agent: mia(scope) });
    expect(run.problems).toEqual([]);
    expect([run.agentRun?.kind, run.agentRun?.name]).toEqual(['AgentRun', 'sum-1']);
    expect([run.workload?.kind, run.workload?.name]).toEqual(['Job', 'hermes-run-sum-1']);
    expect(run.node.children.map(({ node }) => node.id)).toEqual(['agent-run', 'workload']);
    expect(JSON.stringify(run.workload?.toJson())).toContain('"image":"registry.example.net/hermes:v1"');
  });

  it('keeps the workload of before while the spec is the same', () => {
    const first = chart();
    const before = new AgentRun(first, 'sum', { metadata: { name: 'sum-1' }, spec: SPEC, agent: mia(first) });
    const former = toYamlStream([before.agentRun?.toJson(), before.workload?.toJson()]);
    const second = chart();
    const agent = mia(second, 'registry.example.net/hermes:v2');
    const kept = new AgentRun(second, 'sum', { metadata: { name: 'sum-1' }, spec: SPEC, agent, former });
    expect(kept.workload?.toJson()).toEqual(before.workload?.toJson());
    const alone = new AgentRun(chart(), 'sum', { metadata: { name: 'sum-1' }, spec: SPEC, former });
    expect(alone.workload?.toJson()).toEqual(before.workload?.toJson());
    const changed = new AgentRun(chart(), 'sum', {
      metadata: { name: 'sum-1' },
      spec: { ...SPEC, instructions: 'x' },
      former,
    });
    expect(changed.problems.map(({ rule }) => rule)).toEqual(['RunChanged']);
  });

  it('reports what is wrong when the app is synthesized', () => {
    const folder = mkdtempSync(join(tmpdir(), 'hermes-run-'));
    try {
      const app = new App({ outdir: folder });
      const scope = new Chart(app, 'runs', { namespace: 'lab' });
      const run = new AgentRun(scope, 'sum', { metadata: { name: 'sum-1' }, spec: SPEC });
      expect(run.workload).toBeUndefined();
      expect(() => {
        app.synth();
      }).toThrow(
        'spec.agentRef.name: is not the agent that was passed along (pass the HermesAgent of this name and namespace as agent)',
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('leaves to the agent what is wrong with the agent', () => {
    const scope = chart();
    const agent = mia(scope, 'Not An Image');
    const run = new AgentRun(scope, 'sum', { metadata: { name: 'sum-1' }, spec: SPEC, agent });
    expect(run.problems).toEqual([]);
    expect(run.workload).toBeUndefined();
  });
});
