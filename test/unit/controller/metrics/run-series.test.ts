import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { declareFamilies } from '../../../../controller/metrics/families.js';
import { RunMetrics } from '../../../../controller/metrics/run-series.js';
import type { StoredRun } from '../../../../controller/runs/objects.js';
import type { RunStatus } from '../../../../controller/runs/run-verdict.js';

const CREATED = '2026-03-01T12:00:00Z';

function run(name: string, status?: Partial<RunStatus>, spec: unknown = { agentRef: { name: 'mina' } }): StoredRun {
  return {
    metadata: { name, namespace: 'lab', uid: name, resourceVersion: '1', creationTimestamp: CREATED },
    spec,
    ...(status === undefined ? {} : { status: { ...status } }),
  };
}

const RUNNING: RunStatus = {
  observedGeneration: 1,
  phase: 'Running',
  startTime: '2026-03-01T12:00:20Z',
  conditions: [],
};
const PENDING: RunStatus = { observedGeneration: 1, phase: 'Pending', conditions: [] };
const OVER: RunStatus = {
  ...RUNNING,
  phase: 'Succeeded',
  completionTime: '2026-03-01T12:01:00Z',
  duration: 40,
  exitCode: 0,
};
const STUCK: RunStatus = {
  ...PENDING,
  phase: 'Failed',
  startTime: CREATED,
  completionTime: '2026-03-01T12:00:09Z',
  duration: 9,
};

function metricsWithPage(): { readonly metrics: RunMetrics; readonly page: () => Promise<string[]> } {
  const registry = new Registry();
  const metrics = new RunMetrics(declareFamilies(registry));
  const page = async (): Promise<string[]> =>
    (await registry.metrics())
      .split('\n')
      .filter((line) => /^hermes_agentrun_(phase|.*_(sum|count))/.test(line))
      .filter((line) => !line.endsWith(' 0') || line.includes('phase{'));
  return { metrics, page };
}

/** Pending, Running, Succeeded and Failed, in this order. */
const counts = (agent: string, ...numbers: readonly [number, number, number, number]): string[] =>
  ['Pending', 'Running', 'Succeeded', 'Failed'].map(
    (phase, index) => `hermes_agentrun_phase{namespace="lab",agent="${agent}",phase="${phase}"} ${numbers[index]}`,
  );

describe('RunMetrics', () => {
  it('counts runs by agent and phase, and leaves nothing of those that are gone', async () => {
    const { metrics, page } = metricsWithPage();
    metrics.set(run('a'), PENDING);
    metrics.set(run('a'), RUNNING);
    metrics.set(run('a'), RUNNING);
    metrics.set(run('b'), STUCK);
    metrics.set(run('c', undefined, { image: 'x' }), OVER);
    expect(await page()).toEqual([...counts('mina', 0, 1, 0, 1), ...counts('', 0, 0, 1, 0)]);
    metrics.remove({ namespace: 'lab', name: 'b' });
    metrics.remove({ namespace: 'lab', name: 'b' });
    metrics.remove({ namespace: 'lab', name: 'c' });
    expect(await page()).toEqual(counts('mina', 0, 1, 0, 0));
    metrics.remove({ namespace: 'lab', name: 'a' });
    expect(await page()).toEqual([]);
  });

  it.each([null, 'text', { agentRef: null }, { agentRef: { name: 7 } }])(
    'counts a run whose spec is %j',
    async (spec) => {
      const { metrics, page } = metricsWithPage();
      metrics.set(run('a', undefined, spec), PENDING);
      expect(await page()).toEqual(counts('', 1, 0, 0, 0));
    },
  );

  it.each<{ title: string; former?: RunStatus; next: RunStatus; want: string[] }>([
    { title: 'the start', former: PENDING, next: RUNNING, want: ['startup_seconds_sum 20', 'startup_seconds_count 1'] },
    {
      title: 'the end',
      former: RUNNING,
      next: OVER,
      want: ['duration_seconds_sum{phase="Succeeded"} 40', 'duration_seconds_count{phase="Succeeded"} 1'],
    },
    {
      title: 'start and end between two looks',
      next: OVER,
      want: [
        'duration_seconds_sum{phase="Succeeded"} 40',
        'duration_seconds_count{phase="Succeeded"} 1',
        'startup_seconds_sum 20',
        'startup_seconds_count 1',
      ],
    },
    {
      title: 'a run that never started',
      former: PENDING,
      next: STUCK,
      want: ['duration_seconds_sum{phase="Failed"} 9', 'duration_seconds_count{phase="Failed"} 1'],
    },
    { title: 'nothing of a run that was over', former: OVER, next: OVER, want: [] },
    { title: 'nothing of a run that goes on', former: RUNNING, next: RUNNING, want: [] },
    {
      title: 'a node whose clock is slow as no time',
      former: PENDING,
      next: { ...RUNNING, startTime: '2026-03-01T11:59:00Z' },
      want: ['startup_seconds_count 1'],
    },
  ])('observes $title', async ({ former, next, want }) => {
    const { metrics, page } = metricsWithPage();
    metrics.passed(run('a', former), next);
    expect(await page()).toEqual(want.map((line) => `hermes_agentrun_${line}`));
  });

  it('counts what it stopped and deleted, every reason from the start', async () => {
    const registry = new Registry();
    const metrics = new RunMetrics(declareFamilies(registry));
    metrics.stopped('StartFailed');
    metrics.stopped('StartFailed');
    metrics.deleted('TTL');
    const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('hermes_agentrun_reaped'));
    expect(lines).toEqual([
      'hermes_agentrun_reaped_total{reason="StartFailed"} 2',
      'hermes_agentrun_reaped_total{reason="Finished"} 0',
      'hermes_agentrun_reaped_total{reason="Restarted"} 0',
      'hermes_agentrun_reaped_total{reason="TTL"} 1',
    ]);
  });
});
