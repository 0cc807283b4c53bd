import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { AgentMetrics } from '../../../../controller/metrics/agent-series.js';
import { declareFamilies } from '../../../../controller/metrics/families.js';
import { queueMetrics } from '../../../../controller/metrics/queue-metrics.js';
import type { StoredAgent } from '../../../../controller/kube/objects.js';
import type { ComputedStatus } from '../../../../controller/reconcile/agent.js';

function agent(name: string, image: unknown = 'x:v1'): StoredAgent {
  const metadata = {
    name,
    namespace: 'lab',
    uid: name,
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
  };
  return { metadata, spec: { image } };
}

function status(phase: string, ready: 'True' | 'False', reason: string): ComputedStatus {
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  return { phase, conditions: [{ type: 'PodReady', status: ready, reason, message: '', lastTransitionTime }] };
}

function metricsWithRegistry(): { metrics: AgentMetrics; page: () => Promise<string[]> } {
  const registry = new Registry();
  const metrics = new AgentMetrics(declareFamilies(registry));
  const page = async (): Promise<string[]> =>
    (await registry.metrics())
      .split('\n')
      .filter((line) => line.startsWith('hermes_agent_'))
      .sort();
  return { metrics, page };
}

const READY_PAGE = [
  'hermes_agent_condition{name="mina",namespace="lab",type="PodReady",status="True",reason="PodRunning"} 1',
  'hermes_agent_info{name="mina",namespace="lab",image="x:v1"} 1',
  'hermes_agent_phase{name="mina",namespace="lab",phase="Bootstrap"} 0',
  'hermes_agent_phase{name="mina",namespace="lab",phase="Degraded"} 0',
  'hermes_agent_phase{name="mina",namespace="lab",phase="Provisioning"} 0',
  'hermes_agent_phase{name="mina",namespace="lab",phase="Ready"} 1',
  'hermes_agent_phase{name="mina",namespace="lab",phase="Suspended"} 0',
  'hermes_agent_pod_ready{name="mina",namespace="lab"} 1',
];

describe('AgentMetrics', () => {
  it('shows an agent with one phase that is 1', async () => {
    const { metrics, page } = metricsWithRegistry();
    metrics.set(agent('mina'), status('Ready', 'True', 'PodRunning'));
    expect(await page()).toEqual(READY_PAGE);
  });

  it('leaves nothing of a former state', async () => {
    const { metrics, page } = metricsWithRegistry();
    metrics.set(agent('mina', 'x:v0'), status('Degraded', 'False', 'CrashLoopBackOff'));
    metrics.set(agent('mina', 'x:v1'), status('Degraded', 'False', 'PodNotReady'));
    metrics.set(agent('mina', 'x:v1'), status('Ready', 'True', 'PodRunning'));
    expect(await page()).toEqual(READY_PAGE);
  });

  it('leaves nothing of an agent that is gone, and everything of the others', async () => {
    const { metrics, page } = metricsWithRegistry();
    metrics.set(agent('mina'), status('Ready', 'True', 'PodRunning'));
    metrics.set(agent('nora'), status('Suspended', 'False', 'Suspended'));
    metrics.remove({ namespace: 'lab', name: 'nora' });
    metrics.remove({ namespace: 'lab', name: 'never-seen' });
    expect(await page()).toEqual(READY_PAGE);
  });

  it('shows the gateways that there are now', async () => {
    const { metrics, page } = metricsWithRegistry();
    const ready = status('Ready', 'True', 'PodRunning');
    const gateways = [
      { type: 'discord', ready: true },
      { type: 'tele"gram\n', ready: false },
    ];
    metrics.set(agent('mina'), { ...ready, gateways });
    const gatewayLines = async (): Promise<string[]> => (await page()).filter((line) => line.includes('gateway'));
    expect(await gatewayLines()).toEqual([
      'hermes_agent_gateway_ready{name="mina",namespace="lab",gateway_type="discord"} 1',
      'hermes_agent_gateway_ready{name="mina",namespace="lab",gateway_type="tele\\"gram\\n"} 0',
    ]);
    metrics.set(agent('mina'), { ...ready, gateways: [{ type: 'discord', ready: false }] });
    expect(await gatewayLines()).toEqual([
      'hermes_agent_gateway_ready{name="mina",namespace="lab",gateway_type="discord"} 0',
    ]);
    metrics.set(agent('mina'), ready);
    expect(await page()).toEqual(READY_PAGE);
    metrics.set(agent('mina'), { ...ready, gateways });
    metrics.remove({ namespace: 'lab', name: 'mina' });
    expect(await page()).toEqual([]);
  });

  it('keeps free text out of the reason label, and escapes what users write', async () => {
    const { metrics, page } = metricsWithRegistry();
    metrics.set(agent('mina', 'x:"v1"\n'), status('Degraded', 'False', 'pulled 17 of 20 layers'));
    const lines = await page();
    expect(lines.filter((line) => line.includes('reason="Other"'))).toHaveLength(1);
    expect(lines.find((line) => line.startsWith('hermes_agent_info'))).toContain('image="x:\\"v1\\"\\n"');
  });

  it.each([undefined, null, 7, {}])('shows an agent whose image is %j', async (image) => {
    const { metrics, page } = metricsWithRegistry();
    metrics.set({ ...agent('mina'), spec: image === undefined ? null : { image } }, status('Degraded', 'False', 'X'));
    expect((await page()).find((line) => line.startsWith('hermes_agent_info'))).toContain('image=""');
  });
});

describe('queueMetrics', () => {
  it('has every series from the start, and counts', async () => {
    const registry = new Registry();
    const { observer } = queueMetrics(declareFamilies(registry), 'hermesagent', 16);
    const count = async (name: string): Promise<string | undefined> =>
      (await registry.metrics())
        .split('\n')
        .find((line) => line.startsWith(`${name}{`))
        ?.split(' ')[1];
    expect(await count('workqueue_adds_total')).toBe('0');
    expect(await count('workqueue_retries_total')).toBe('0');
    expect(await count('controller_runtime_reconcile_errors_total')).toBe('0');
    expect(await count('controller_runtime_max_concurrent_reconciles')).toBe('16');
    observer.added(3);
    observer.started(2, 5);
    expect(await count('workqueue_adds_total')).toBe('1');
    expect(await count('workqueue_depth')).toBe('2');
    expect(await count('controller_runtime_active_workers')).toBe('1');
    observer.finished(20);
    observer.retried();
    expect(await count('controller_runtime_active_workers')).toBe('0');
    expect(await count('workqueue_work_duration_seconds_sum')).toBe('0.02');
    expect(await count('workqueue_retries_total')).toBe('1');
  });
});
