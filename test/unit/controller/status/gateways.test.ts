import { describe, expect, it } from 'vitest';
import { computeAgentStatus } from '../../../../controller/status/agent-status.js';
import type { ObservedAgent } from '../../../../controller/status/observed.js';
import { deepFreeze } from '../../../support/deep-freeze.js';
import {
  answer,
  deployment,
  former,
  HOUR,
  looping,
  NONE_READY,
  NOW,
  observedAgent,
  pod,
  RUNNING,
  unreadyPod,
} from '../../../support/observed-agent.js';
import { verdict } from '../../../support/phase-verdict.js';

const DOWN = deployment({ counts: NONE_READY });

describe('gateways behind a dashboard', () => {
  const two = { dashboard: { enabled: true }, gateways: [{ type: 'discord' }, { type: 'telegram' }] };
  const up = { conditions: [former('PodReady', 'True', 'PodRunning', { heldFor: 60 })], phase: 'Provisioning' };
  const stopped = { gatewayRunning: false, gatewayState: 'stopped' };
  const failed = { gatewayRunning: false, gatewayState: 'startup_failed' };

  const see = (probe: ObservedAgent['probe'], parts: Parameters<typeof observedAgent>[0] = up): string => {
    const observed = observedAgent({ spec: two, ...(probe !== undefined && { probe }), ...parts });
    const { status } = computeAgentStatus(deepFreeze(observed), NOW);
    const ready = status.conditions.find(({ type }) => type === 'GatewaysReady');
    return `${status.phase} ${ready?.status ?? 'absent'} ${ready?.reason ?? ''} ${ready?.message ?? ''}`.trim();
  };

  it.each<[string, ObservedAgent['probe'], string]>([
    ['all connected', answer({ discord: 'connected', telegram: 'connected' }), 'Ready True AllPlatformsConnected'],
    [
      'one of two connected',
      answer({ discord: 'connected', telegram: 'retrying' }),
      'Ready False PlatformsNotConnected telegram=retrying',
    ],
    [
      'both connecting',
      answer({ discord: 'connecting', telegram: 'connecting' }),
      'Provisioning False PlatformsNotConnected discord=connecting, telegram=connecting',
    ],
    [
      'nothing said yet of any',
      answer({}, { gatewayState: 'starting' }),
      'Provisioning False PlatformsNotConnected discord=unknown, telegram=unknown',
    ],
    [
      'all connected, draining',
      answer({ discord: 'connected', telegram: 'connected' }, { gatewayState: 'draining' }),
      'Ready True AllPlatformsConnected',
    ],
    [
      'a state that nobody knows, all connected',
      answer({ discord: 'connected', telegram: 'connected' }, { gatewayState: 'hibernating' }),
      'Ready True AllPlatformsConnected',
    ],
    [
      'no state and no platforms in the answer',
      answer({}, { gatewayState: undefined }),
      'Provisioning False PlatformsNotConnected discord=unknown, telegram=unknown',
    ],
    ['stopped', answer({}, stopped), 'Degraded False GatewayNotRunning the gateway does not run: stopped'],
    [
      'stopped, while the platforms still read as connected',
      answer({ discord: 'connected', telegram: 'connected' }, { gatewayState: 'stopped' }),
      'Degraded False GatewayNotRunning the gateway does not run: stopped',
    ],
    [
      'failed to start',
      answer({ telegram: { state: 'fatal', message: 'bad token' } }, failed),
      'Degraded False GatewayNotRunning the gateway does not run: startup_failed',
    ],
    [
      'degraded with a fatal platform',
      answer({ discord: 'connected', telegram: 'fatal' }, { gatewayState: 'degraded' }),
      'Degraded False Degraded the gateway is degraded: telegram=fatal',
    ],
    [
      'a fatal platform that is not declared',
      answer({ discord: 'connected', telegram: 'connected', irc: 'fatal' }),
      'Ready True AllPlatformsConnected not declared: irc',
    ],
    ['an answer to come', { failures: 0 }, 'Provisioning Unknown NotProbed the dashboard has not answered yet'],
    [
      'one failure and no answer ever',
      { failures: 1 },
      'Provisioning Unknown NotProbed the dashboard has not answered yet',
    ],
    [
      'three failures and no answer ever',
      { failures: 3 },
      'Ready Unknown ProbeFailed the dashboard did not answer three times in a row',
    ],
    [
      'three failures after a bad answer',
      { ...answer({ discord: 'fatal', telegram: 'fatal' }), failures: 3 },
      'Degraded Unknown ProbeFailed the dashboard did not answer three times in a row',
    ],
    [
      'three failures after a good answer',
      { ...answer({ discord: 'connected', telegram: 'retrying' }), failures: 3 },
      'Ready Unknown ProbeFailed the dashboard did not answer three times in a row',
    ],
    [
      'all connected, and nothing of a gateway that runs',
      answer({ discord: 'connected', telegram: 'connected' }, { gatewayRunning: undefined }),
      'Ready False GatewayNotRunning the dashboard does not say that the gateway runs',
    ],
    ['nobody who asks', undefined, 'Ready Unknown NotProbed the dashboard has not answered yet'],
  ])('%s', (_, probe, want) => {
    expect(see(probe)).toBe(want);
  });

  it('says the message of the platform', () => {
    const observed = observedAgent({
      spec: two,
      probe: answer({ telegram: { state: 'fatal', message: 'bad token' } }),
    });
    expect(computeAgentStatus(observed, NOW).status.gateways?.[1]?.message).toBe('bad token');
  });

  it('is absent while the dashboard is off', () => {
    expect(see(answer({ discord: 'fatal' }), { spec: { gateways: two.gateways } })).toBe('Ready absent');
  });

  it.each<[string, Parameters<typeof observedAgent>[0], string]>([
    ['gives the first connection a window', up, 'Provisioning'],
    [
      'is over with the window',
      { phase: 'Provisioning', conditions: [former('PodReady', 'True', 'PodRunning', { heldFor: 600 })] },
      'Degraded',
    ],
    [
      'does not give it to one that was connected',
      { phase: 'Ready', conditions: [former('PodReady', 'True', 'PodRunning', { heldFor: 60 })] },
      'Degraded',
    ],
    [
      'nor after that was said',
      {
        phase: 'Degraded',
        conditions: [
          former('PodReady', 'True', 'PodRunning', { heldFor: 60 }),
          former('Ready', 'False', 'PlatformsNotConnected', { heldFor: 0 }),
        ],
      },
      'Degraded',
    ],
    [
      'gives it to a pod that came back',
      {
        phase: 'Degraded',
        conditions: [
          former('PodReady', 'False', 'CrashLoopBackOff', { heldFor: 60 }),
          former('Ready', 'False', 'CrashLoopBackOff', { heldFor: 60 }),
        ],
      },
      'Provisioning',
    ],
  ])('%s', (_, parts, want) => {
    expect(see(answer({ discord: 'connecting', telegram: 'connecting' }), parts).split(' ')[0]).toBe(want);
  });

  it('says what the last answer said of an agent whose dashboard has failed since', () => {
    const observed = observedAgent({ spec: two, probe: { ...answer({ discord: 'fatal' }), failures: 3 } });
    expect(verdict(observed)).toBe('Degraded PlatformsNotConnected');
  });

  it.each(['stopped', 'startup_failed'])('has no ready gateway when it is %s', (gatewayState) => {
    const probe = answer({ discord: 'connected', telegram: 'connected' }, { gatewayState });
    const { status } = computeAgentStatus(observedAgent({ spec: two, probe }), NOW);
    expect(status.gateways?.map(({ ready }) => ready)).toEqual([false, false]);
    expect(status.gatewaySummary).toBe('0/2');
  });

  it.each<[string, string, Parameters<typeof observedAgent>[0], string]>([
    ['drains', 'draining', { phase: 'Ready' }, 'Provisioning PlatformsNotConnected Reconciling 600s'],
    ['starts again', 'starting', { phase: 'Ready' }, 'Provisioning PlatformsNotConnected Reconciling 600s'],
    [
      'has drained and connects, in a pod that is old',
      'running',
      { phase: 'Provisioning', conditions: [former('Reconciling', 'True', 'PlatformsNotConnected', { heldFor: 100 })] },
      'Provisioning PlatformsNotConnected Reconciling 500s',
    ],
    [
      'does not come back inside the window',
      'draining',
      { phase: 'Provisioning', conditions: [former('Reconciling', 'True', 'PlatformsNotConnected', { heldFor: 600 })] },
      'Degraded PlatformsNotConnected',
    ],
  ])('gives a window to a gateway that %s', (_, gatewayState, { conditions = [], ...parts } = {}, want) => {
    const probe = answer({ discord: 'disconnected', telegram: 'connecting' }, { gatewayState });
    const podReady = former('PodReady', 'True', 'PodRunning', { heldFor: HOUR });
    expect(verdict(observedAgent({ spec: two, ...parts, conditions: [podReady, ...conditions], probe }))).toBe(want);
  });

  it('leaves an agent Ready whose controller has started anew', () => {
    expect(see({ failures: 0 }, { phase: 'Ready' }).split(' ')[0]).toBe('Ready');
  });

  it('counts a container of the dashboard like any other', () => {
    const containers = [RUNNING, looping(9, { reason: 'Error', exitCode: 1 }, { name: 'dashboard' })];
    const observed = observedAgent({
      spec: two,
      deployment: DOWN,
      pods: [unreadyPod({ containers }), pod({ isTerminating: true, name: 'b' })],
    });
    expect(verdict(observed)).toBe('Degraded CrashLoopBackOff 300s');
  });
});
