import { describe, expect, it } from 'vitest';
import { computeAgentStatus } from '../../../../controller/status/agent-status.js';
import { DIGEST, former, NOW, observedAgent } from '../../../support/observed-agent.js';
import type { ObservedAgent } from '../../../../controller/status/observed.js';

const SPEC = { dashboard: { enabled: true }, gateways: [{ type: 'discord' }, { type: 'telegram' }] };
const GATEWAYS = [
  { type: 'discord', ready: true, state: 'connected', lastProbedAt: '2026-03-01T11:59:00Z' },
  { type: 'telegram', ready: false, state: 'retrying', message: 'slow', lastProbedAt: '2026-03-01T11:59:00Z' },
];

/** A controller that has just started, looking at what another one has stored. */
function restarted(probe: ObservedAgent['probe'], stored: object = {}, generation = 1): ObservedAgent {
  const observed = observedAgent({
    spec: SPEC,
    phase: 'Ready',
    generation,
    podName: 'hermes-mina-1-x',
    conditions: [
      former('PodReady', 'True', 'PodRunning', { heldFor: 60 }),
      { ...former('GatewaysReady', 'False', 'PlatformsNotConnected', { heldFor: 60 }), message: 'telegram=retrying' },
    ].map((condition) => ({ ...condition, observedGeneration: 1 })),
    specDigest: DIGEST,
    ...(probe !== undefined && { probe }),
  });
  const status = { ...observed.agent.status, gateways: GATEWAYS, activeSessions: 3, gatewaySummary: '1/2', ...stored };
  return { ...observed, agent: { ...observed.agent, status } };
}

describe('what another controller has learned of the gateways', () => {
  const see = (observed: ObservedAgent): object => {
    const { status } = computeAgentStatus(observed, NOW);
    const ready = status.conditions.find(({ type }) => type === 'GatewaysReady');
    const { phase, gateways, gatewaySummary, activeSessions } = status;
    return {
      phase,
      gateways,
      gatewaySummary,
      activeSessions,
      ready: ready && `${ready.status} ${ready.reason}: ${ready.message}`,
    };
  };

  const KEPT = {
    phase: 'Ready',
    gateways: GATEWAYS,
    gatewaySummary: '1/2',
    activeSessions: 3,
    ready: 'False PlatformsNotConnected: telegram=retrying',
  };
  const NOTHING = {
    phase: 'Ready',
    gateways: undefined,
    gatewaySummary: undefined,
    activeSessions: undefined,
    ready: 'Unknown NotProbed: the dashboard has not answered yet',
  };

  it.each<[string, ObservedAgent, object]>([
    ['stands until the dashboard has answered', restarted({ failures: 0 }), KEPT],
    ['stands while it has failed twice', restarted({ failures: 2 }), KEPT],
    [
      'keeps its gateways and loses its condition when it has failed three times',
      restarted({ failures: 3, failure: 'connection refused' }),
      { ...KEPT, ready: 'Unknown ProbeFailed: the dashboard did not answer three times in a row: connection refused' },
    ],
    ['says nothing of another pod', restarted({ failures: 0 }, { podName: 'hermes-mina-1-w' }), NOTHING],
    ['says nothing of another spec', restarted({ failures: 0 }, {}, 2), NOTHING],
    [
      'is believed as far as it can be written again',
      restarted(
        { failures: 0 },
        {
          gateways: [
            { type: 'irc', ready: true },
            7,
            { type: 'discord', ready: true, message: 'a\nb', lastProbedAt: 'soon' },
          ],
          activeSessions: 1.5,
        },
      ),
      {
        ...KEPT,
        gateways: [{ type: 'discord', ready: true, message: 'a b' }],
        activeSessions: undefined,
      },
    ],
  ])('%s', (_, observed, want) => {
    expect(see(observed)).toEqual(want);
  });

  const FATAL = [
    { type: 'discord', ready: false, state: 'fatal' },
    { type: 'telegram', ready: false, state: 'fatal' },
  ];

  it.each<[string, ObservedAgent['probe']]>([
    ['before the dashboard was asked', { failures: 0 }],
    ['after one failure', { failures: 1 }],
    ['after three', { failures: 3 }],
  ])('keeps an agent Degraded that a former controller called so, %s', (_, probe) => {
    const seen = see(restarted(probe, { phase: 'Degraded', gateways: FATAL })) as { phase: string };
    expect(seen.phase).toBe('Degraded');
  });

  it.each(['Degraded', 'GatewayNotRunning'])('remembers %s past a condition that is Unknown by now', (reason) => {
    const conditions = [
      former('Ready', 'False', reason, { message: 'why' }),
      former('GatewaysReady', 'Unknown', 'ProbeFailed'),
    ];
    const { status } = computeAgentStatus(
      restarted({ failures: 3 }, { phase: 'Degraded', gateways: GATEWAYS, conditions }),
      NOW,
    );
    expect(status.phase).toBe('Degraded');
    expect(status.conditions.find(({ type }) => type === 'Ready')).toMatchObject({ reason, message: 'why' });
  });
});
