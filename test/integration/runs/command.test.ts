import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createNamespace, describeOnBed, sharedBed } from '../../cluster/bed.js';
import type { KubeManifest } from '../../cluster/client.js';
import { patchPodStatus } from '../../cluster/pods.js';
import { eventually, waitFor } from '../../cluster/wait.js';
import { renderedAgent } from '../../support/agents-on-bed.js';
import { hostController, type ControllerHost } from '../../support/controller-host.js';
import { fetchPage, type ControllerProcess } from '../../support/controller-process.js';
import { RunsOnBed, StartedPods, type RunStatusOnBed } from '../../support/runs-on-bed.js';

const MAIN = join(import.meta.dirname, '..', '..', '..', 'cli', 'main.ts');
const TSX = import.meta.resolve('tsx');
const TTL_SECONDS = 3;
const NEEDED = ['HermesAgent', 'ServiceAccount'];

interface Ended {
  readonly code: number | null;
  readonly lines: readonly string[];
  readonly errors: string;
}

describeOnBed('hermes-gitops run beside the controller', () => {
  const bed = sharedBed();
  const { client } = bed;
  let runs: RunsOnBed;
  let started: StartedPods;
  let host: ControllerHost;
  let controller: ControllerProcess;
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    runs = new RunsOnBed(client, await createNamespace(client, 'command'));
    started = new StartedPods(client, runs.namespace);
    host = await hostController(bed);
    controller = await host.start([`--namespaces=${runs.namespace}`]);
    for (const [name, spec] of [
      ['mia', {}],
      // No node takes its pods.
      ['nowhere', { nodeSelector: { gpu: 'none' } }],
    ] as const) {
      // No pod of an agent: its account is all that its runs need of it.
      const needed = renderedAgent(name, runs.namespace, spec).filter(({ kind }) => NEEDED.includes(kind));
      for (const object of needed) await client.apply(object, { force: true });
    }
  });
  afterAll(async () => {
    started.stop();
    for (const child of children) child.kill();
    await host.stop();
  });

  function command(agent: string, name: string, more: readonly string[] = []): Promise<Ended> {
    const args = [
      '--agent',
      agent,
      '--name',
      name,
      '-n',
      runs.namespace,
      '--instructions',
      'Sum up.',
      '--wait',
      ...more,
    ];
    const child = spawn(process.execPath, ['--import', TSX, MAIN, 'run', ...args, '--kubeconfig', bed.kubeconfig]);
    children.push(child);
    let [out, errors] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    return new Promise((resolve) => {
      child.on('close', (code) => {
        resolve({ code, lines: out.trimEnd().split('\n'), errors });
      });
    });
  }

  /** A run that has succeeded, before it is deleted for it. */
  function lastSeen(name: string): Promise<KubeManifest> {
    return waitFor(
      async () => {
        const run = await client.find(runs.path(name));
        return (run?.['status'] as RunStatusOnBed | undefined)?.phase === 'Succeeded' && run;
      },
      { what: `the end of ${name}` },
    );
  }

  /** The one pod of a run, which no node took, ends as if one had. */
  async function endPod(name: string, exitCode: number): Promise<void> {
    const pod = await waitFor(async () => (await runs.pods(name))[0], { what: `a pod of ${name}` });
    const at = new Date().toISOString();
    const terminated = { exitCode, reason: 'Error', startedAt: at, finishedAt: at };
    const status = { name: 'agent', image: 'x', imageID: '', ready: false, restartCount: 0, state: { terminated } };
    await patchPodStatus(
      client,
      { namespace: runs.namespace, name: pod.metadata.name },
      { phase: 'Failed', containerStatuses: [status] },
    );
  }

  /** Lines of the metrics about runs: the counts of this namespace, and the sums and counts of the rest. */
  async function series(): Promise<readonly string[]> {
    const { body } = await fetchPage(controller.metricsUrl);
    return body
      .split('\n')
      .filter((line) => /^hermes_agentrun_(phase|reaped_total|.*_(sum|count))/.test(line))
      .filter((line) => !line.startsWith('hermes_agentrun_phase') || line.includes(runs.namespace));
  }

  const phases = (agent: string, ...counts: readonly [number, number, number, number]): readonly string[] =>
    ['Pending', 'Running', 'Succeeded', 'Failed'].map(
      (phase, index) =>
        `hermes_agentrun_phase{namespace="${runs.namespace}",agent="${agent}",phase="${phase}"} ${counts[index]}`,
    );

  const secondsToStart = ({ metadata, status }: KubeManifest): number =>
    Math.max(0, Date.parse((status as RunStatusOnBed).startTime ?? '') - Date.parse(metadata.creationTimestamp ?? '')) /
    1000;

  it('exits with the outcome, which the metrics tell too; with a TTL everything of the run goes', async () => {
    const [endedRun, ended, limited, late, slow] = await Promise.all([
      lastSeen('ended'),
      command('mia', 'ended', ['--ttl', String(TTL_SECONDS)]),
      Promise.all([command('nowhere', 'limited'), endPod('limited', 2)]).then(([result]) => result),
      command('nowhere', 'late', ['--startup-deadline', '1']),
      command('nowhere', 'slow', ['--timeout', '1']),
    ]);
    expect([ended.code, limited.code, late.code, slow.code]).toEqual([0, 11, 10, 124]);
    expect(ended.lines[0]).toBe(`agentrun ${runs.namespace}/ended created`);
    expect(ended.lines.at(-1)).toBe('Succeeded: container "agent" ended with exit code 0');
    expect(limited.lines.at(-1)).toBe('Failed: LimitReached: container "agent" ended with exit code 2');
    expect(late.lines.at(-1)).toMatch(/^Failed: StartupDeadlineExceeded: did not start within 1 s: /);
    expect(slow.errors).toBe('error: not over after 1 s; the run goes on\n');

    const [limitedRun, lateRun] = await Promise.all(['limited', 'late'].map((name) => client.get(runs.path(name))));
    if (limitedRun === undefined || lateRun === undefined) throw new Error('a run is gone');
    const duration = ({ status }: KubeManifest): number => (status as RunStatusOnBed).duration ?? NaN;
    const observed = [
      `hermes_agentrun_duration_seconds_sum{phase="Succeeded"} ${duration(endedRun)}`,
      'hermes_agentrun_duration_seconds_count{phase="Succeeded"} 1',
      `hermes_agentrun_duration_seconds_sum{phase="Failed"} ${duration(limitedRun) + duration(lateRun)}`,
      'hermes_agentrun_duration_seconds_count{phase="Failed"} 2',
      `hermes_agentrun_startup_seconds_sum ${secondsToStart(endedRun) + secondsToStart(limitedRun)}`,
      'hermes_agentrun_startup_seconds_count 2',
    ];
    const reaped = (ttl: number): readonly string[] =>
      Object.entries({ StartFailed: 1, Finished: 0, Restarted: 0, TTL: ttl }).map(
        ([reason, count]) => `hermes_agentrun_reaped_total{reason="${reason}"} ${count}`,
      );
    await runs.slotFreed('late');

    await runs.gone('ended');
    await eventually(async () => {
      expect(await runs.pods('ended')).toEqual([]);
    });
    expect(started.count('ended')).toBe(1);
    await eventually(async () => {
      expect([...(await series())].sort()).toEqual(
        [...phases('nowhere', 1, 0, 0, 2), ...observed, ...reaped(1)].sort(),
      );
    });

    for (const name of ['limited', 'late', 'slow']) {
      await client.delete(runs.path(name));
      await runs.gone(name);
    }
    await eventually(async () => {
      expect((await series()).filter((line) => line.startsWith('hermes_agentrun_phase'))).toEqual([]);
    });
  });
});
