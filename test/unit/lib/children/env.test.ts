import { describe, expect, it } from 'vitest';
import { agentEnv } from '../../../../lib/children/env.js';
import { resolvedAgent } from '../../../support/resolved-agent.js';

const STAMPED = [
  { name: 'HERMES_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
  { name: 'HERMES_POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
  { name: 'HERMES_POD_UID', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } },
  { name: 'HERMES_NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
  { name: 'HERMES_PROFILE', value: 'mia' },
  { name: 'HERMES_DEPLOYMENT', value: 'hermes-mia' },
];

const v = (name: string, value: string): { name: string; value: string } => ({ name, value });

describe('agentEnv', () => {
  it.each([
    ['stamps the variables that the image reads', {}, STAMPED],
    [
      'puts providers before gateways before the own variables',
      {
        env: [v('C', '3')],
        gateways: [{ type: 'discord', env: [v('B', '2')] }],
        llmProviders: [{ name: 'p', env: [v('A', '1')] }],
      },
      [v('A', '1'), v('B', '2'), v('C', '3'), ...STAMPED],
    ],
    [
      'lets the last of one name win, in its own place',
      {
        llmProviders: [
          { name: 'p', env: [v('X', 'provider'), v('Y', 'y')] },
          { name: 'q', env: [v('Z', '$(Y)')] },
        ],
        env: [v('X', '$(Z)')],
      },
      [v('Y', 'y'), v('Z', '$(Y)'), v('X', '$(Z)'), ...STAMPED],
    ],
    [
      'lets nobody overrule a stamped variable',
      { env: [v('HERMES_PROFILE', 'other'), v('HERMES_INFERENCE_PROVIDER', 'q')], llmDefaultProvider: 'p' },
      [v('HERMES_INFERENCE_PROVIDER', 'p'), ...STAMPED],
    ],
    [
      'stamps no provider when none is the default, and keeps the one that the agent sets',
      { env: [v('HERMES_INFERENCE_PROVIDER', 'q')], llmDefaultProvider: '' },
      [v('HERMES_INFERENCE_PROVIDER', 'q'), ...STAMPED],
    ],
  ])('%s', (_, spec, want) => {
    expect(agentEnv(resolvedAgent(spec))).toEqual(want);
  });
});
