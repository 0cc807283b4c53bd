import { describe, expect, it } from 'vitest';
import { probeTarget } from '../../../../controller/probe/target.js';
import { ago, HOUR, NOW, observedAgent, pod, replicaSet, type AgentParts } from '../../../support/observed-agent.js';
import type { Pod } from '../../../../controller/kube/objects.js';

const ON = { dashboard: { enabled: true }, gateways: [{ type: 'discord' }] };

const withIp = (base: Pod, podIP: string): Pod => ({ ...base, status: { ...base.status, podIP } });

const READY = { uid: 'hermes-mina-1-x-uid', name: 'hermes-mina-1-x', createdAt: NOW - HOUR * 1000, isReady: true };

describe('probeTarget', () => {
  it.each<[string, AgentParts]>([
    ['the dashboard is off', { spec: { dashboard: { enabled: false } } }],
    ['there is no dashboard', { spec: {} }],
    ['there is no spec', { spec: null }],
    ['the dashboard is no map', { spec: { dashboard: [true] } }],
    ['the agent is suspended', { spec: { ...ON, suspend: true } }],
  ])('is nobody when %s', (_, parts) => {
    const observed = observedAgent(parts);
    expect(probeTarget(observed.agent, observed)).toBeUndefined();
  });

  it('is nobody when the agent is being deleted or gone', () => {
    const observed = observedAgent({ spec: ON });
    const { agent } = observed;
    const going = { ...agent, metadata: { ...agent.metadata, deletionTimestamp: ago(1) } };
    expect(probeTarget(going, observed)).toBeUndefined();
    expect(probeTarget(undefined, observed)).toBeUndefined();
  });

  it.each<[string, readonly Pod[], object | undefined]>([
    ['a running pod', [withIp(pod(), '10.1.2.3')], { ...READY, address: '10.1.2.3' }],
    ['IPv6', [withIp(pod(), 'fd00::1')], { ...READY, address: 'fd00::1' }],
    [
      'a pod that is not ready',
      [withIp(pod({ ready: { status: 'False' } }), '10.1.2.3')],
      { ...READY, isReady: false, address: '10.1.2.3' },
    ],
    ['a pod without address', [pod()], READY],
    ['a name instead of an address', [withIp(pod(), 'metadata.example.net')], READY],
    ['a pod that has not started', [withIp(pod({ phase: 'Pending' }), '10.1.2.3')], READY],
    ['a pod that has ended', [withIp(pod({ phase: 'Failed' }), '10.1.2.3')], READY],
    ['a pod that somebody labelled', [withIp(pod({ owner: 'foreign' }), '10.1.2.3')], undefined],
    ['a pod that is going', [withIp(pod({ isTerminating: true }), '10.1.2.3')], undefined],
    ['no pod', [], undefined],
  ])('finds %s', (_, pods, want) => {
    const observed = observedAgent({ spec: ON, pods, replicaSets: [replicaSet()] });
    expect(probeTarget(observed.agent, observed)).toEqual({
      agent: observed.agent,
      gateways: ['discord'],
      ...(want !== undefined && { pod: want }),
    });
  });
});
