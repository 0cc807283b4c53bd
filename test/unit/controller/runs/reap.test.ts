import { describe, expect, it } from 'vitest';
import type { ObservedRun } from '../../../../controller/runs/observed-run.js';
import { condition, judge } from '../../../support/judged-run.js';
import {
  ago,
  ended,
  endedPod,
  holds,
  job,
  NOW,
  observedRun,
  RAN,
  stored,
  wrote,
  type RunParts,
} from '../../../support/observed-run.js';

/** A run that ended a hundred seconds ago. */
const over = (parts: RunParts = {}): ObservedRun =>
  stored(observedRun({ job: job({ conditions: [holds('Complete', 'CompletionsReached', 100)] }), ...parts }), {
    ...RAN,
    phase: 'Succeeded',
    completionTime: ago(100),
    duration: 40,
    conditions: [wrote('Succeeded', 'True', 'Succeeded')],
  });

const CLI = { annotations: { 'hermes-gitops.dev/origin': 'cli' } };
const ttl = (seconds: number): object => ({ ttlSecondsAfterFinished: seconds });

describe('the deletion of a run', () => {
  it.each([
    ['a run without a TTL', over(), { kind: 'keep' }],
    ['a run without a TTL, whatever the flag says', over({ options: { ttlSeconds: 0 } }), { kind: 'keep' }],
    ['a run with a TTL that has not passed', over({ spec: ttl(160) }), { kind: 'wait', afterMs: 60_000 }],
    ['a run with a TTL that has passed', over({ spec: ttl(60) }), { kind: 'delete', reason: 'TTL' }],
    ['a run with the TTL 0', over({ spec: ttl(0) }), { kind: 'delete', reason: 'TTL' }],
    ['a run of the CLI, with the flag at never', over({ metadata: CLI }), { kind: 'keep' }],
    [
      'a run of the CLI, with the flag at once',
      over({ metadata: CLI, options: { ttlSeconds: 0 } }),
      { kind: 'delete', reason: 'TTL' },
    ],
    [
      'a run of the CLI, with a later flag',
      over({ metadata: CLI, options: { ttlSeconds: 101 } }),
      { kind: 'wait', afterMs: 1000 },
    ],
    [
      'a run of the CLI, whose spec comes before the flag',
      over({ metadata: CLI, spec: ttl(300), options: { ttlSeconds: 0 } }),
      { kind: 'wait', afterMs: 200_000 },
    ],
    [
      'a run of another origin',
      over({ metadata: { annotations: { 'hermes-gitops.dev/origin': 'web' } }, options: { ttlSeconds: 0 } }),
      { kind: 'keep' },
    ],
    ['a run that is not over', observedRun({ spec: ttl(0) }), { kind: 'keep' }],
    ['a run with a TTL that is no number', over({ spec: { ttlSecondsAfterFinished: '0' } }), { kind: 'keep' }],
    [
      'a run with a TTL beyond every timer',
      over({ spec: ttl(2 ** 31 - 1) }),
      { kind: 'wait', afterMs: (2 ** 31 - 101) * 1000 },
    ],
  ])('%s', (_what, observed, want) => {
    expect(judge(observed).reap).toEqual(want);
  });

  it('counts from the end, also when a clock put that into the future', () => {
    const status = { ...over().run.status, completionTime: ago(-600) };
    const observed = stored(observedRun({ spec: ttl(60) }), status);
    expect(judge(observed).reap).toEqual({ kind: 'wait', afterMs: 660_000 });
    expect(judge(observed, NOW + 660_000).reap).toEqual({ kind: 'delete', reason: 'TTL' });
  });

  it('is due as soon as the run ends', () => {
    const verdict = judge(observedRun({ spec: ttl(0), pods: [endedPod(ended(0))] }));
    expect([verdict.status.phase, verdict.reap]).toEqual(['Succeeded', { kind: 'delete', reason: 'TTL' }]);
  });

  it('has its timer', () => {
    expect(judge(over({ spec: ttl(160) })).recheckAfterMs).toBe(60_000);
  });

  it('is told by a condition where one was asked for', () => {
    expect(condition(over({ spec: ttl(160) }), 'Reapable')).toEqual({
      status: 'True',
      reason: 'TTLAfterFinished',
      message: 'deleted 160 s after its end',
    });
    expect(condition(over(), 'Reapable')).toBeUndefined();
  });
});

describe('a mark of an engine', () => {
  const MARKS = [
    'argocd.argoproj.io/tracking-id',
    'argocd.argoproj.io/instance',
    'app.kubernetes.io/instance',
    'kustomize.toolkit.fluxcd.io/name',
    'helm.toolkit.fluxcd.io/name',
    'meta.helm.sh/release-name',
    'kapp.k14s.io/app',
    'applyset.kubernetes.io/part-of',
    'objectset.rio.cattle.io/hash',
    'configmanagement.gke.io/managed',
    'example.net/stack',
  ];
  const options = { trackingMarks: ['example.net/stack'], ttlSeconds: 0 };
  const left = (mark: string, object = 'the run'): object => ({
    status: 'False',
    reason: 'TrackedByGitOps',
    message: `not deleted after its TTL of 0 s, because it would come back and run again: ${object} carries ${mark}`,
  });

  it.each(MARKS)('keeps a run for good, as a label and as an annotation: %s', (mark) => {
    for (const metadata of [{ labels: { [mark]: 'x' } }, { annotations: { [mark]: '' } }]) {
      const observed = over({ spec: ttl(0), options, metadata });
      expect(judge(observed).reap).toEqual({ kind: 'keep' });
      expect(condition(observed, 'Reapable')).toEqual(left(mark));
    }
  });

  it('keeps a run of the CLI too, which somebody has put into Git', () => {
    const annotations = { ...CLI.annotations, 'argocd.argoproj.io/tracking-id': 'runs:x/y' };
    expect(judge(over({ options, metadata: { annotations } })).reap).toEqual({ kind: 'keep' });
  });

  it('counts on the workload as on the run', () => {
    const labels = { 'hermes-gitops.dev/run': 'sum-1', 'kustomize.toolkit.fluxcd.io/name': 'runs' };
    const observed = over({ spec: ttl(0), job: job({ metadata: { labels } }) });
    expect(judge(observed).reap).toEqual({ kind: 'keep' });
    expect(condition(observed, 'Reapable')).toEqual(left('kustomize.toolkit.fluxcd.io/name', 'its Job'));
  });

  it('is not looked for where nothing would be deleted', () => {
    expect(condition(over({ metadata: { labels: { 'kapp.k14s.io/app': 'x' } } }), 'Reapable')).toBeUndefined();
  });

  it('is not what kubectl leaves behind, nor our own labels', () => {
    const metadata = {
      labels: { 'app.kubernetes.io/managed-by': 'hermes-gitops' },
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}' },
    };
    expect(judge(over({ spec: ttl(0), metadata })).reap).toEqual({ kind: 'delete', reason: 'TTL' });
  });
});

describe('a run that comes back after its deletion', () => {
  const spec = ttl(0);
  // The run of the fixtures was created 61 s ago.
  const deletion = (secondsBefore: number, uid = 'former-uid'): Pick<ObservedRun, 'formerDeletion'> => ({
    formerDeletion: { at: NOW - (61 + secondsBefore) * 1000, uid },
  });

  it('within ten minutes is never deleted again, and says so once', () => {
    const observed = over({ spec, ...deletion(600) });
    const { reap, events } = judge(observed);
    expect(reap).toEqual({ kind: 'keep' });
    expect(events.map(({ reason }) => reason)).toEqual(['RecreatedByEngine']);
    expect(condition(observed, 'Reapable')).toMatchObject({ status: 'False', reason: 'RecreatedByEngine' });
    // What was stored is enough once the process that deleted the former one is gone.
    const later = stored(over({ spec }), judge(observed).status);
    expect(judge(later).reap).toEqual({ kind: 'keep' });
    expect(judge(later).events).toEqual([]);
  });

  it('is known for it before it has ended', () => {
    const observed = observedRun({ spec, ...deletion(5) });
    expect(condition(observed, 'Reapable')).toMatchObject({ status: 'False', reason: 'RecreatedByEngine' });
  });

  it('later than that is deleted, and so is the run that the deletion was meant for', () => {
    expect(judge(over({ spec, ...deletion(601) })).reap).toEqual({ kind: 'delete', reason: 'TTL' });
    expect(judge(over({ spec, ...deletion(-70, 'run-uid') })).reap).toEqual({ kind: 'delete', reason: 'TTL' });
  });
});
