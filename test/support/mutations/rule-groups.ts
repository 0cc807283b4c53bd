import fc from 'fast-check';

import type { CelRule } from '../../../lib/api/json-schema.js';
import { kitchenSink } from './bases.js';
import type { Group } from './campaign.js';

const MINIMAL = { image: 'registry.example.net/hermes:v1', storage: { existingClaimName: 'home' } };
const DRAWS = 24;

/** An agent in the namespace of the comparison, valid but for what is given. */
export function plainAgent(spec: object, metadata: object = {}): unknown {
  return {
    apiVersion: kitchenSink['apiVersion'],
    kind: kitchenSink['kind'],
    metadata: { name: 'mia', namespace: 'lab', ...metadata },
    spec: { ...MINIMAL, ...spec },
  };
}

const { persistentVolumeClaim: wholeClaim } = kitchenSink.spec['storage'] as { persistentVolumeClaim: object };

/** Some of the fields of an object, and each of them now and then null or empty. */
function someOf(whole: object): fc.Arbitrary<object> {
  const fields = Object.entries(whole).map(([key, value]) =>
    fc.oneof(
      { weight: 5, arbitrary: fc.constant([key, value] as const) },
      fc.constantFrom([key, null] as const, undefined),
    ),
  );
  return fc
    .tuple(...fields)
    .map((entries) => Object.fromEntries(entries.filter((entry) => entry !== undefined)) as object);
}

const claims = fc.oneof(
  fc.constant(wholeClaim),
  someOf(wholeClaim),
  fc.constantFrom<unknown>({}, null, { accessModes: [] }, { accessModes: ['ReadWriteOnce'] }, { resources: {} }),
  fc.constantFrom<unknown>(
    { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    { accessModes: ['ReadWriteOnce'], resources: { requests: {} } },
    { accessModes: ['ReadWriteOnce'], resources: { requests: { cpu: '1' } } },
    { accessModes: null, resources: { requests: { storage: '1Gi' } } },
    { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: null } } },
  ),
);
const claimNames = fc.constantFrom<unknown>('home', '', null, undefined, 'a.b', 'A');

const names = (forms: fc.Arbitrary<string>): fc.Arbitrary<unknown> =>
  forms.map((name) => plainAgent({ dashboard: { enabled: true } }, { name }));

const part = fc.constantFrom('a', 'bot', 'x1', '7', 'a-b', 'dash', 'run', 'dashboard');

/** By a word of the message: agents that keep the rule and agents that break it. */
const MUTATIONS: readonly (readonly [string, fc.Arbitrary<unknown>])[] = [
  [
    'the name has to be at most',
    names(
      fc
        .oneof(fc.constantFrom(1, 45, 46, 47, 63, 64, 253, 254), fc.integer({ min: 40, max: 52 }))
        .map((length) => 'a'.repeat(length)),
    ),
  ],
  [
    'the name has to be a DNS label',
    names(
      fc.oneof(
        part,
        fc.constantFrom('bot.v2', 'Bot', '7up', '-a', 'a-', 'a_b', 'a b', '', 'ä', 'a/b', '0', 'a--b', '9-9', 'a:b'),
      ),
    ),
  ],
  [
    "the name must not end in '-dashboard'",
    names(
      fc
        .tuple(part, fc.constantFrom('-dashboard', '-dashboards', 'dashboard', '-dash-board', ''))
        .map((parts) => parts.join('')),
    ),
  ],
  [
    "the name must not begin with 'run-'",
    names(fc.tuple(fc.constantFrom('run-', 'run', 'rerun-', 'a-run-', ''), part).map((parts) => parts.join(''))),
  ],
  [
    'exactly one of persistentVolumeClaim',
    fc
      .record({ persistentVolumeClaim: claims, existingClaimName: claimNames }, { requiredKeys: [] })
      .map((storage) => plainAgent({ storage })),
  ],
  [
    'accessModes and resources.requests.storage',
    claims.map((persistentVolumeClaim) => plainAgent({ storage: { persistentVolumeClaim } })),
  ],
  [
    'llmDefaultProvider has to be',
    fc
      .record(
        {
          llmDefaultProvider: fc.constantFrom<unknown>('a', 'b', '', null, 'A', 'openrouter'),
          llmProviders: fc.oneof(
            fc.constantFrom<unknown>(null, []),
            fc.uniqueArray(fc.constantFrom('a', 'b', 'c')).map((given) => given.map((name) => ({ name }))),
          ),
        },
        { requiredKeys: [] },
      )
      .map(plainAgent),
  ],
  [
    'host is required',
    ingresses({
      host: fc.constantFrom<unknown>('agent.example.net', '*.example.net', '', null),
      ingressClassName: fc.constant('nginx'),
    }),
  ],
  [
    'ingressClassName is required',
    ingresses({
      host: fc.constant('agent.example.net'),
      ingressClassName: fc.constantFrom<unknown>('nginx', 'a.b', '', null),
    }),
  ],
];

function ingresses(fields: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<unknown> {
  const more = {
    enabled: fc.constantFrom<unknown>(true, true, false, null),
    annotations: fc.constantFrom({}, { 'a.example.net/auth': 'b' }, { 'a.example.net/b': 'c' }),
    tls: fc.constantFrom<unknown>({}, { secretName: 'a' }, { secretName: '' }),
  };
  return fc
    .record({ ...fields, ...more }, { requiredKeys: [] })
    .map((ingress) => plainAgent({ dashboard: { enabled: true, ingress } }));
}

/** One group of agents for each rule; throws when there is a rule that nothing is known of. */
export function ruleGroups(rules: readonly CelRule[]): readonly Group[] {
  return rules.map(({ message = '' }) => {
    const [, any] = MUTATIONS.find(([start]) => message.startsWith(start)) ?? [];
    if (any === undefined) throw new Error(`no agents keep and break the rule: ${message}`);
    return { name: `rule: ${message}`, always: [], any, draws: DRAWS };
  });
}
