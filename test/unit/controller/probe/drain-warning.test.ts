import { describe, expect, it } from 'vitest';
import { DrainWarnings } from '../../../../controller/probe/drain-warning.js';
import type { StoredAgent } from '../../../../controller/kube/objects.js';
import { answer } from '../../../support/observed-agent.js';

function agent(spec: unknown, uid = 'u1'): StoredAgent {
  const metadata = { name: 'mina', namespace: 'lab', uid, resourceVersion: '1', creationTimestamp: '' };
  return { metadata, spec };
}

function look(...steps: readonly (readonly [unknown, number | undefined, string?])[]): readonly string[] {
  const notes: string[] = [];
  const warnings = new DrainWarnings((_, event) => notes.push(`${event.type} ${event.reason}: ${event.note}`));
  for (const [spec, restartDrainTimeout, uid] of steps) {
    const { last } = answer({}, { restartDrainTimeout });
    if (last !== undefined) warnings.look(agent(spec, uid), last);
  }
  return notes;
}

const note = (drain: number, grace: number, wanted: number): string =>
  `Warning DrainCutShort: the agent drains for up to ${drain} s (agent.restart_drain_timeout), and its pod is killed ` +
  `after ${grace} s: sessions may be cut off; set terminationGracePeriodSeconds to at least ${wanted}`;

describe('DrainWarnings', () => {
  it.each<[string, unknown, number | undefined, readonly string[]]>([
    ['as it comes', {}, 180, []],
    ['nothing said', {}, undefined, []],
    ['a second too long', {}, 181, [note(181, 210, 211)]],
    ['a part of a second too long', { terminationGracePeriodSeconds: 31 }, 1.5, [note(1.5, 31, 32)]],
    ['a longer grace period', { terminationGracePeriodSeconds: 630 }, 600, []],
    ['a shorter grace period', { terminationGracePeriodSeconds: 60 }, 180, [note(180, 60, 210)]],
    ['a number without end', {}, 1e300, [note(86_400, 210, 86_430)]],
    ['no spec', null, 240, [note(240, 210, 270)]],
  ])('judges %s', (_, spec, drain, want) => {
    expect(look([spec, drain])).toEqual(want);
  });

  it('says it once, and again when it has gone and come back, or is about a new agent', () => {
    expect(look([{}, 240], [{}, 240], [{}, 300], [{}, 301])).toEqual([note(240, 210, 270)]);
    expect(look([{}, 240], [{}, 180], [{}, 240])).toEqual([note(240, 210, 270), note(240, 210, 270)]);
    expect(look([{}, 240], [{}, 240, 'u2'])).toEqual([note(240, 210, 270), note(240, 210, 270)]);
  });
});
