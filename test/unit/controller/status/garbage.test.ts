import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AGENT } from '../../../../controller/kube/agent-kind.js';
import { differs } from '../../../../controller/reconcile/status-diff.js';
import { computeAgentStatus } from '../../../../controller/status/agent-status.js';
import type { ObservedAgent } from '../../../../controller/status/observed.js';
import { secretReferences } from '../../../../controller/status/secret-references.js';
import { deepFreeze } from '../../../support/deep-freeze.js';
import { at, garbled, GARBAGE, places, replaced, type Path } from '../../../support/garbage.js';
import { NOW } from '../../../support/observed-agent.js';
import { FIXTURES } from './troubleshooting-fixtures.js';

/** What somebody else may have written: objects of the API server. */
const STORED: readonly Path[] = [
  ['agent'],
  ['deployment'],
  ['replicaSets'],
  ['pods'],
  ['children'],
  ['bindings', 'items'],
];

/** States that together hold every kind of object and field. */
const TELLING = [
  'crash-loop-long',
  'init-crash-loop',
  'suspended-draining',
  'secret-missing',
  'binding-drifted',
  'leftovers',
  'platforms-connecting',
  'pod-refused',
];
const PHASES = new Set(['Bootstrap', 'Provisioning', 'Ready', 'Degraded', 'Suspended']);

const NAMES = Object.keys(FIXTURES);

function fixture(id: string): ObservedAgent {
  const found = FIXTURES[id];
  if (found === undefined) throw new Error(id);
  return found;
}

function storedPlaces(observed: ObservedAgent): Path[] {
  // There is always an agent; what it holds may be anything.
  return STORED.flatMap((part) => places(at(observed, part), part)).filter((path) => path.join() !== 'agent');
}

/** The observation after the status that was computed from it was stored. */
function stored(observed: ObservedAgent, status: object): ObservedAgent {
  return { ...observed, agent: { ...observed.agent, status: { ...observed.agent.status, ...status } } };
}

describe('a status', { timeout: 60_000 }, () => {
  it.each(NAMES)('settles at once: %s', (id) => {
    const observed = deepFreeze(fixture(id));
    const first = computeAgentStatus(observed, NOW);
    expect(JSON.stringify(computeAgentStatus(observed, NOW))).toBe(JSON.stringify(first));
    const second = computeAgentStatus(stored(observed, first.status), NOW);
    expect(second.status).toEqual(first.status);
    // Nobody looks again after a write only because it was written.
    expect(second.recheckAfterMs ?? Infinity).toBeGreaterThanOrEqual(first.recheckAfterMs ?? Infinity);
    expect(differs({ ...first.status }, { ...second.status }, AGENT.status)).toBe(false);
  });

  it.each(TELLING)('survives every field of %s being something else', (id) => {
    const observed = fixture(id);
    const paths = storedPlaces(observed);
    for (const path of paths) {
      for (const by of GARBAGE) {
        const { status } = computeAgentStatus(replaced(observed, path, by) as ObservedAgent, NOW);
        if (!PHASES.has(status.phase)) throw new Error(`${path.join('.')} = ${JSON.stringify(by)}: ${status.phase}`);
      }
    }
    expect(paths.length).toBeGreaterThan(10);
  });

  it('survives any combination of garbage, and settles with it', () => {
    const observation = fc.constantFrom(...NAMES).chain((id) => {
      const observed = fixture(id);
      return garbled(observed, storedPlaces(observed));
    });
    fc.assert(
      fc.property(observation, (value) => {
        const observed = deepFreeze(value as ObservedAgent);
        const first = computeAgentStatus(observed, NOW);
        expect(computeAgentStatus(observed, NOW)).toEqual(first);
        expect(computeAgentStatus(stored(observed, first.status), NOW).status).toEqual(first.status);
      }),
      { numRuns: 250 },
    );
  });

  it('survives any spec', () => {
    const keys = [
      'env',
      'envFrom',
      'llmProviders',
      'gateways',
      'dashboard',
      'rbac',
      'storage',
      'networkPolicy',
      'suspend',
    ];
    const spec = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(fc.constantFrom(...keys), fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue()))),
    );
    fc.assert(
      fc.property(spec, (value) => {
        const observed = fixture('crash-loop');
        const { status } = computeAgentStatus({ ...observed, agent: { ...observed.agent, spec: value } }, NOW);
        expect(status.conditions[0]?.type).toBe('Ready');
        expect(Array.isArray(secretReferences(value))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it('has reasons and messages that the API server takes, whatever the kubelet says', () => {
    const observed = fixture('config-error');
    const pod = observed.pods[0];
    const text = fc.string({ unit: 'binary', maxLength: 2000 });
    fc.assert(
      fc.property(text, text, (reason, message) => {
        const containers = [{ name: 'hermes', state: { waiting: { reason, message } } }];
        const pods = [{ ...pod, status: { ...pod?.status, containerStatuses: containers } }] as ObservedAgent['pods'];
        for (const condition of computeAgentStatus({ ...observed, pods }, NOW).status.conditions) {
          expect(condition.reason).toMatch(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/);
          expect(condition.reason.length).toBeLessThanOrEqual(1024);
          expect(condition.message.length).toBeLessThanOrEqual(1024);
          expect(condition.message).not.toMatch(/[\u0000-\u001f\u007f-\u009f]|\p{Surrogate}/u);
        }
      }),
      { numRuns: 150 },
    );
  });
});
