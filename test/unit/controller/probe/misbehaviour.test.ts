import { gzipSync } from 'node:zlib';
import { Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { declareFamilies } from '../../../../controller/metrics/families.js';
import { ProbeMetrics } from '../../../../controller/metrics/probe-series.js';
import { askPod } from '../../../../controller/probe/exchange.js';
import { DashboardProber } from '../../../../controller/probe/prober.js';
import { probeTarget } from '../../../../controller/probe/target.js';
import { computeAgentStatus, type AgentStatus } from '../../../../controller/status/agent-status.js';
import {
  gatewayStatus,
  say,
  sayJson,
  startDashboard,
  type Answer,
  type FakeDashboard,
} from '../../../support/fake-dashboard.js';
import { NOW, observedAgent, pod } from '../../../support/observed-agent.js';

const PORT = 9119;
const KEY = 'lab/mina';
const SPEC = { dashboard: { enabled: true }, gateways: [{ type: 'discord' }, { type: 'telegram' }] };
const GOOD = gatewayStatus({ discord: 'connected', telegram: 'connected' });
const BOTH_UP = [
  { type: 'discord', ready: true, state: 'connected', lastProbedAt: '2026-03-01T12:00:00Z' },
  { type: 'telegram', ready: true, state: 'connected', lastProbedAt: '2026-03-01T12:00:00Z' },
];

const text = JSON.stringify(GOOD);

const platformName = (index: number): string => `p${String(index).padStart(4, '0')}`;

/** All well, and so many platforms that nobody declared, the last one first. */
const crowded = (count: number): object => ({
  ...GOOD,
  gateway_platforms: Object.fromEntries([
    ...Array.from({ length: count }, (_, index) => [platformName(count - 1 - index), { state: 'x' }]),
    ['discord', { state: 'connected' }],
    ['telegram', { state: 'connected' }],
  ]) as object,
});

/** The twenty that a message names. */
const namesFrom = (first: number): string =>
  Array.from({ length: 20 }, (_, index) => platformName(first + index)).join(', ');

const drip =
  (head: string, pauseMs: number): Answer =>
  (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(head);
    const timer = setInterval(() => response.write(' '), pauseMs);
    response.on('close', () => {
      clearInterval(timer);
    });
  };

const endless: Answer = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const chunk = Buffer.alloc(64 * 1024, 32);
  const more = (): void => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', more);
  };
  more();
};

/** Sends the head at once and this for ever, as fast as it is taken. */
const flood =
  (head: string, again: string): Answer =>
  ({ socket }) => {
    const piece = Buffer.from(again.repeat(5000));
    socket.write(head);
    const more = (): void => {
      while (!socket.destroyed && socket.write(piece));
      if (!socket.destroyed) socket.once('drain', more);
    };
    more();
  };

/** Every way that gives no answer, with the words of the condition. */
const FAILURES: readonly (readonly [string, Answer, string])[] = [
  ['never answers', () => undefined, 'no whole answer within 0.3 s'],
  ['sends its body byte by byte', drip(text, 20), 'no whole answer within 0.3 s'],
  [
    'sends its headers byte by byte',
    ({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
      const timer = setInterval(() => socket.write('x'), 20);
      socket.on('close', () => {
        clearInterval(timer);
      });
    },
    'no whole answer within 0.3 s',
  ],
  ['never ends its body', endless, 'its answer is larger than 64 KiB'],
  [
    'breaks off after a hundredth of what it announced',
    say(200, text, { 'content-length': text.length * 100 }),
    'the connection was cut off',
  ],
  [
    'answers with a byte too many',
    sayJson({ ...GOOD, extra: 'x'.repeat((64 << 10) - JSON.stringify(GOOD).length - 10) }),
    'its answer is larger than 64 KiB',
  ],
  ['has 10,000 platforms', sayJson(crowded(10_000)), 'its answer is larger than 64 KiB'],
  [
    'sends a chunk for each byte, without end',
    flood('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', '1\r\n \r\n'),
    'its answer is larger than 64 KiB',
  ],
  ['hints without end', flood('', 'HTTP/1.1 103 Early Hints\r\n\r\n'), 'it answered with status 103'],
  ['says Continue without end', flood('', 'HTTP/1.1 100 Continue\r\n\r\n'), 'it answered with status 100'],
  ['redirects to a login', say(302, '', { location: '/login' }), 'it answered with status 302'],
  [
    'redirects to the metadata of the cloud',
    say(307, '', { location: 'http://169.254.169.254/' }),
    'it answered with status 307',
  ],
  ['asks for a login', say(401, '{"detail":"login"}'), 'it answered with status 401'],
  ['knows another host name only', say(400, 'Invalid host header'), 'it answered with status 400'],
  ['knows no such path', say(404, text), 'it answered with status 404'],
  ['breaks down', say(500, text), 'it answered with status 500'],
  ['has nothing to say', say(204, ''), 'it answered with status 204'],
  ['answers with a page', say(200, '<html></html>', { 'content-type': 'text/html' }), 'its answer is no JSON'],
  ['answers with nothing', say(200, ''), 'its answer is no JSON'],
  ['answers with half of it', say(200, text.slice(0, text.length / 2)), 'its answer is no JSON'],
  ['compresses unasked', say(200, gzipSync(text), { 'content-encoding': 'gzip' }), 'its answer is no JSON'],
  ['nests without end', say(200, '['.repeat(30_000)), 'its answer is no JSON'],
  ['says null', say(200, 'null'), 'its answer is no JSON object'],
  ['says a list', say(200, '[]'), 'its answer is no JSON object'],
  ['says a text', say(200, '"connected"'), 'its answer is no JSON object'],
  ['speaks of something else', sayJson({ detail: 'ok' }), 'its answer says nothing of a gateway'],
  ['has a list of platforms', sayJson({ ...GOOD, gateway_platforms: [] }), 'its answer holds no map of platforms'],
  [
    'has platforms that are texts',
    sayJson({ gateway_platforms: { discord: 'connected' } }),
    'its answer holds no map of platforms',
  ],
  [
    'has nothing but wrong types',
    sayJson({ gateway_running: 'yes', gateway_state: 7 }),
    'its answer says nothing of a gateway',
  ],
  [
    'resets the connection',
    ({ socket }) => {
      socket.resetAndDestroy();
    },
    'the connection was cut off',
  ],
  [
    'cuts its body off',
    ({ socket }) => {
      socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text.slice(0, 20)}`);
    },
    'the connection was cut off',
  ],
  [
    'speaks another protocol',
    ({ socket }) => {
      socket.end('220 mail.example.net ESMTP\r\n');
    },
    'its answer is no HTTP',
  ],
  [
    'has endless headers',
    ({ socket }) => {
      socket.end(`HTTP/1.1 200 OK\r\nx-long: ${'x'.repeat(100_000)}\r\n\r\n{}`);
    },
    'its headers are too large',
  ],
  [
    'changes to another protocol',
    ({ socket }) => {
      socket.end('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n');
    },
    'it answered with status 101',
  ],
];

describe('the probe of a dashboard that misbehaves', () => {
  let dashboard: FakeDashboard;
  let prober: DashboardProber | undefined;

  beforeAll(async () => {
    dashboard = await startDashboard(PORT);
  });

  afterEach(() => {
    prober?.stop();
  });

  afterAll(async () => {
    await dashboard.close();
  });

  interface Probing {
    readonly status: () => AgentStatus;
    readonly failures: () => Promise<string | undefined>;
    /** Resolves when so many probes from now on have brought news. */
    readonly news: (count: number) => Promise<void>;
  }

  function probe(): Probing {
    const registry = new Registry();
    let changes = 0;
    let wanted = { count: Infinity, resolve: (): void => undefined };
    const base = pod();
    const pods = [{ ...base, status: { ...base.status, podIP: dashboard.address } }];
    const observed = observedAgent({ spec: SPEC, pods, phase: 'Ready' });
    const current = new DashboardProber({
      find: () => probeTarget(observed.agent, observed),
      ask: askPod,
      onChange: () => {
        changes++;
        if (changes >= wanted.count) wanted.resolve();
      },
      onAnswer: () => undefined,
      counter: new ProbeMetrics(declareFamilies(registry)),
      now: () => NOW,
      intervalMs: 10,
      timeoutMs: 300,
      random: () => 0,
    });
    prober = current;
    current.observe(KEY);
    return {
      status: () => {
        const known = current.observe(KEY);
        return computeAgentStatus({ ...observed, ...(known !== undefined && { probe: known }) }, NOW).status;
      },
      failures: async () =>
        (await registry.metrics()).split('\n').find((line) => line.startsWith('hermes_agent_dashboard_probe_failures')),
      news: (count) =>
        new Promise((resolve) => {
          wanted = { count: changes + count, resolve };
        }),
    };
  }

  const gatewaysReady = ({ conditions }: AgentStatus): string | undefined => {
    const condition = conditions.find(({ type }) => type === 'GatewaysReady');
    return condition && `${condition.status} ${condition.reason}: ${condition.message}`;
  };

  it.each(FAILURES)('keeps the last answer of one that %s, and says so after three times', async (_, bad, words) => {
    dashboard.answer = sayJson(GOOD);
    const probing = probe();
    await probing.news(1);
    expect(gatewaysReady(probing.status())).toBe('True AllPlatformsConnected: ');
    dashboard.answer = bad;
    const asked = dashboard.requests.length;
    const sent = dashboard.bytesSent();
    await probing.news(3);
    prober?.stop();
    const status = probing.status();
    expect(gatewaysReady(status)).toBe(
      `Unknown ProbeFailed: the dashboard did not answer three times in a row: ${words}`,
    );
    expect(status.gateways).toEqual(BOTH_UP);
    expect(status.phase).toBe('Ready');
    expect(await probing.failures()).toBe('hermes_agent_dashboard_probe_failures_total{name="mina",namespace="lab"} 3');
    // One request for each failure, and none anywhere else. The good answer may have been given once more in between.
    expect(dashboard.requests.length - asked).toBeLessThanOrEqual(4);
    expect(new Set(dashboard.requests)).toEqual(new Set(['GET /api/status']));
    // What the kernels of both sides hold comes on top of what is read.
    expect(dashboard.bytesSent() - sent).toBeLessThan(64 << 20);
  });

  const platforms = (state: unknown): object => ({
    gateway_platforms: { discord: state, telegram: { state: 'connected' } },
  });

  it.each<[string, Answer, string, unknown]>([
    [
      'calls it plain text',
      say(200, text, { 'content-type': 'text/plain' }),
      'True AllPlatformsConnected: ',
      undefined,
    ],
    ['calls it nothing', say(200, text), 'True AllPlatformsConnected: ', undefined],
    [
      'is in a state that nobody knows',
      sayJson({ ...GOOD, gateway_state: 'hibernating' }),
      'True AllPlatformsConnected: ',
      undefined,
    ],
    ['drains', sayJson({ ...GOOD, gateway_state: 'draining' }), 'True AllPlatformsConnected: ', undefined],
    [
      'gives scalars of other types',
      sayJson({ ...GOOD, gateway_state: 7, active_sessions: '9', restart_drain_timeout: [], gateway_exit_reason: {} }),
      'True AllPlatformsConnected: ',
      undefined,
    ],
    [
      'gives one platform as a text',
      sayJson({ ...GOOD, ...platforms('connected') }),
      'False PlatformsNotConnected: discord=unknown',
      { type: 'discord', ready: false, lastProbedAt: '2026-03-01T12:00:00Z' },
    ],
    [
      'gives a state as a number',
      sayJson({ ...GOOD, ...platforms({ state: 1 }) }),
      'False PlatformsNotConnected: discord=unknown',
      { type: 'discord', ready: false, lastProbedAt: '2026-03-01T12:00:00Z' },
    ],
    [
      'has huge texts',
      sayJson({ ...GOOD, ...platforms({ state: 'retrying', error_message: 'e'.repeat(50_000) }) }),
      'False PlatformsNotConnected: discord=retrying',
      {
        type: 'discord',
        ready: false,
        state: 'retrying',
        message: `${'e'.repeat(1023)}…`,
        lastProbedAt: '2026-03-01T12:00:00Z',
      },
    ],
    [
      'has control characters',
      sayJson({ ...GOOD, ...platforms({ state: 're\u0000try', error_message: 'bad\u001b[31m\n token\ud800' }) }),
      'False PlatformsNotConnected: discord=re try',
      {
        type: 'discord',
        ready: false,
        state: 're try',
        message: 'bad [31m token\ufffd',
        lastProbedAt: '2026-03-01T12:00:00Z',
      },
    ],
    [
      'has 200 platforms',
      sayJson(crowded(200)),
      `True AllPlatformsConnected: not declared: ${namesFrom(0)}`,
      undefined,
    ],
    [
      'has more platforms than are looked at',
      sayJson(crowded(2000)),
      `True AllPlatformsConnected: not declared: ${namesFrom(2000 - 256)}`,
      undefined,
    ],
    [
      'names a platform __proto__',
      say(200, text.replace('"gateway_platforms":{', '"gateway_platforms":{"__proto__":{"state":"x"},')),
      'True AllPlatformsConnected: not declared: __proto__',
      undefined,
    ],
    [
      'has no platforms',
      sayJson({ gateway_running: true }),
      'False PlatformsNotConnected: discord=unknown, telegram=unknown',
      { type: 'discord', ready: false, lastProbedAt: '2026-03-01T12:00:00Z' },
    ],
    [
      'says that its gateway has ended',
      sayJson({ gateway_running: false, gateway_state: 'stopped', gateway_exit_reason: 'lock\nheld' }),
      'False GatewayNotRunning: the gateway does not run: lock held',
      { type: 'discord', ready: false, lastProbedAt: '2026-03-01T12:00:00Z' },
    ],
  ])('understands one that %s', async (_, answer, want, discord) => {
    dashboard.answer = answer;
    const probing = probe();
    await probing.news(1);
    const status = probing.status();
    expect(gatewaysReady(status)).toBe(want);
    expect(status.gateways?.[0]).toEqual(discord ?? BOTH_UP[0]);
    expect(await probing.failures()).toBe('hermes_agent_dashboard_probe_failures_total{name="mina",namespace="lab"} 0');
  });

  it('follows answers that change, and is told nothing by the same answer in another order', async () => {
    const { gateway_platforms: map, ...rest } = GOOD as { gateway_platforms: object };
    const turned = { gateway_platforms: Object.fromEntries(Object.entries(map).reverse()) as object, ...rest };
    let asked = 0;
    dashboard.answer = (request, response) => {
      asked++;
      const body = asked > 20 ? gatewayStatus({ discord: 'fatal' }) : asked % 2 === 0 ? turned : GOOD;
      sayJson(body)(request, response);
    };
    const probing = probe();
    await probing.news(1);
    expect(asked).toBe(1);
    await probing.news(1);
    prober?.stop();
    expect(asked).toBe(21);
    expect(gatewaysReady(probing.status())).toBe('False PlatformsNotConnected: discord=fatal, telegram=unknown');
    expect(probing.status().phase).toBe('Degraded');
  });

  it('takes a refused connection for a failure', async () => {
    await dashboard.close();
    try {
      const probing = probe();
      await probing.news(3);
      prober?.stop();
      expect(gatewaysReady(probing.status())).toBe(
        'Unknown ProbeFailed: the dashboard did not answer three times in a row: connection refused',
      );
      expect(probing.status().gateways).toBeUndefined();
      expect(probing.status().phase).toBe('Ready');
    } finally {
      dashboard = await startDashboard(PORT, dashboard.address);
    }
  });
});
