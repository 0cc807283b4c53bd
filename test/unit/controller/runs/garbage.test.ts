import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ObservedRun } from '../../../../controller/runs/observed-run.js';
import { judgeRun } from '../../../../controller/runs/run-status.js';
import { deepFreeze } from '../../../support/deep-freeze.js';
import { at, garbled, GARBAGE, places, replaced, type Path } from '../../../support/garbage.js';
import { NOW, observedRun, pendingPod, sandbox, stored, waits } from '../../../support/observed-run.js';
import { RUN_FIXTURES } from './outcome-fixtures.js';

/** What somebody else may have written: objects of the API server. */
const STORED: readonly Path[] = [['run'], ['job'], ['sandbox'], ['pods'], ['deletedPods']];

/** States that together hold every kind of object and field. */
const TELLING = ['tracked', 'drained', 'pod-gone', 'init-failed', 'too-late-unscheduled', 'inside-grace', 'node-lost'];

const PHASES = new Set(['Pending', 'Running', 'Succeeded', 'Failed']);
const NAMES = Object.keys(RUN_FIXTURES);

function fixture(id: string): ObservedRun {
  const found = RUN_FIXTURES[id];
  if (found === undefined) throw new Error(id);
  // With a status, so that its fields are among the places.
  return stored(found, judgeRun(found, NOW).status);
}

function storedPlaces(observed: ObservedRun): Path[] {
  // There is always a run; what it holds may be anything.
  return STORED.flatMap((part) => places(at(observed, part), part)).filter((path) => path.join() !== 'run');
}

/** Judges twice, and once more with what was stored: nothing moves any more. */
function expectSettled(observed: ObservedRun): void {
  const first = judgeRun(deepFreeze(observed), NOW);
  expect(JSON.stringify(judgeRun(observed, NOW))).toBe(JSON.stringify(first));
  const after = judgeRun(stored(observed, first.status), NOW);
  expect(after.status).toEqual(first.status);
  // What is to be done stays to be done until it shows in the cluster.
  expect([after.stop, after.reap]).toEqual([first.stop, first.reap]);
  expect(after.events.filter(({ reason }) => reason !== 'RunRestarted')).toEqual([]);
}

describe('a verdict', { timeout: 120_000 }, () => {
  it.each(NAMES)('settles at once: %s', (id) => {
    expectSettled(RUN_FIXTURES[id] ?? observedRun());
  });

  it.each(TELLING)('survives every field of %s being something else', (id) => {
    const observed = fixture(id);
    const paths = storedPlaces(observed);
    for (const path of paths) {
      for (const by of GARBAGE) {
        const { status } = judgeRun(replaced(observed, path, by) as ObservedRun, NOW);
        if (!PHASES.has(status.phase)) throw new Error(`${path.join('.')} = ${JSON.stringify(by)}: ${status.phase}`);
      }
    }
    expect(paths.length).toBeGreaterThan(10);
  });

  it('survives any combination of garbage, and settles with it', () => {
    const observation = fc.constantFrom(...NAMES).chain((id) => {
      const observed = { ...fixture(id), sandbox: sandbox() };
      return garbled(observed, storedPlaces(observed));
    });
    fc.assert(
      fc.property(observation, (value) => {
        const observed = value as ObservedRun;
        const first = judgeRun(deepFreeze(observed), NOW);
        expect(judgeRun(observed, NOW)).toEqual(first);
        const second = judgeRun(stored(observed, first.status), NOW);
        expect(second.status.phase).toBe(first.status.phase);
        const third = judgeRun(stored(observed, second.status), NOW);
        expect(third.status).toEqual(second.status);
      }),
      { numRuns: 250 },
    );
  });

  it('has reasons and messages that the API server takes, whatever the kubelet says', () => {
    const text = fc.string({ unit: 'binary', maxLength: 2000 });
    const reason = fc.oneof(text, fc.constantFrom('ImagePullBackOff', 'ErrImagePull', 'ContainerCreating'));
    fc.assert(
      fc.property(reason, text, (word, message) => {
        const observed = observedRun({
          options: { fatalGraceSeconds: 60 },
          pods: [pendingPod(waits(word, message))],
        });
        const { status } = judgeRun(observed, NOW);
        for (const condition of status.conditions) {
          expect(condition.reason).toMatch(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/);
          expect(condition.message.length).toBeLessThanOrEqual(1024);
          expect(condition.message).not.toMatch(/[\u0000-\u001f\u007f-\u009f]|\p{Surrogate}/u);
        }
        expect(judgeRun(stored(observed, status), NOW).status).toEqual(status);
      }),
      { numRuns: 150 },
    );
  });

  it('has whole seconds and times that the API server takes, whatever the clocks say', () => {
    const time = fc.oneof(
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
      fc.constantFrom('', 'never', '2026-13-01T00:00:00Z', '9999-12-31T23:59:59Z', '0001-01-01T00:00:00Z'),
    );
    fc.assert(
      fc.property(time, time, (startedAt, finishedAt) => {
        const agent = { name: 'agent', state: { terminated: { exitCode: 0, startedAt, finishedAt } } };
        const pod = pendingPod(agent, { phase: 'Succeeded' });
        const { status } = judgeRun(observedRun({ pods: [pod] }), NOW);
        for (const value of [status.startTime, status.completionTime]) {
          expect(value).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
        }
        expect(Number.isInteger(status.duration) && (status.duration ?? -1) >= 0).toBe(true);
      }),
      { numRuns: 150 },
    );
  });
});
