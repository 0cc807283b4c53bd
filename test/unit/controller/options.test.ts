import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../controller/flags.js';
import { parseCommand, type ControllerOptions } from '../../../controller/options.js';

const WITHOUT_METRICS: ControllerOptions = {
  namespaces: [],
  metricsSecure: true,
  healthAddress: { port: 8081 },
  leaderElect: false,
  allowedClusterRoles: [],
  allowedBindingNamespaces: [],
  trackingMarks: [],
  runStartupDeadlineSeconds: 0,
  runTtlSeconds: -1,
  runFatalGraceSeconds: 0,
  concurrency: 16,
  probeViaApiServer: false,
  dashboardProbeIntervalSeconds: 30,
  logFormat: 'json',
  logLevel: 'info',
};

const DEFAULTS: ControllerOptions = { ...WITHOUT_METRICS, metricsAddress: { port: 8443 } };

describe('parseCommand', () => {
  it.each<{ argv: string[]; want: ControllerOptions }>([
    { argv: [], want: DEFAULTS },
    { argv: ['--kubeconfig', '/k', '--context=c'], want: { ...DEFAULTS, kubeconfig: '/k', context: 'c' } },
    { argv: ['--metrics-secure=false'], want: { ...DEFAULTS, metricsSecure: false } },
    { argv: ['--no-metrics-secure', '--leader-elect'], want: { ...DEFAULTS, metricsSecure: false, leaderElect: true } },
    { argv: ['--metrics-bind-address', '0'], want: WITHOUT_METRICS },
    {
      argv: ['--metrics-bind-address=127.0.0.1:9', '--health-probe-bind-address=[::1]:10'],
      want: { ...DEFAULTS, metricsAddress: { host: '127.0.0.1', port: 9 }, healthAddress: { host: '::1', port: 10 } },
    },
    { argv: ['--namespaces=a, b,,a'], want: { ...DEFAULTS, namespaces: ['a', 'b'] } },
    {
      argv: ['--namespaces=a,b', '--namespaces', 'c', '--log-level=debug', '--log-level=warn'],
      want: { ...DEFAULTS, namespaces: ['a', 'b', 'c'], logLevel: 'warn' },
    },
    {
      argv: ['--agentrun-ttl=-1', '--agentrun-startup-deadline', '5m'],
      want: { ...DEFAULTS, runStartupDeadlineSeconds: 300 },
    },
    {
      argv: ['--agentrun-ttl=2h', '--agentrun-fatal-grace=90s'],
      want: { ...DEFAULTS, runTtlSeconds: 7200, runFatalGraceSeconds: 90 },
    },
    {
      argv: ['--tracking-marks=example.org/owner,team', '--agentrun-ttl=0'],
      want: { ...DEFAULTS, trackingMarks: ['example.org/owner', 'team'], runTtlSeconds: 0 },
    },
    { argv: ['--dashboard-probe-interval=5m'], want: { ...DEFAULTS, dashboardProbeIntervalSeconds: 300 } },
    { argv: ['--dashboard-probe-interval=1'], want: { ...DEFAULTS, dashboardProbeIntervalSeconds: 1 } },
    {
      argv: ['--concurrency=4', '--log-format=text', '--log-level=debug'],
      want: { ...DEFAULTS, concurrency: 4, logFormat: 'text', logLevel: 'debug' },
    },
  ])('reads $argv', ({ argv, want }) => {
    expect(parseCommand(argv)).toEqual({ kind: 'run', options: want });
  });

  it.each([
    { argv: ['--nonsense'], message: 'unknown flag --nonsense' },
    { argv: ['--no-kubeconfig'], message: 'unknown flag --no-kubeconfig' },
    { argv: ['--no-leader-elect=true'], message: 'unknown flag --no-leader-elect' },
    { argv: ['run'], message: 'unexpected argument "run"' },
    { argv: ['--kubeconfig'], message: '--kubeconfig needs a value' },
    { argv: ['--concurrency=0'], message: '--concurrency: "0" is no number from 1 to 9999' },
    { argv: ['--metrics-secure=yes'], message: '--metrics-secure: "yes" is none of true, false' },
    { argv: ['--log-format=xml'], message: '--log-format: "xml" is none of json, text' },
    { argv: ['--agentrun-ttl=1d'], message: '--agentrun-ttl: "1d" is no time: write seconds, or 90s, 5m, 2h' },
    {
      argv: ['--agentrun-startup-deadline=-1'],
      message: '--agentrun-startup-deadline: "-1" is negative: write 0 for none',
    },
    {
      argv: ['--dashboard-probe-interval=0'],
      message: '--dashboard-probe-interval: "0" is too short: write 1s or more',
    },
    ...['301', '597h', '999999999h'].map((text) => ({
      argv: [`--dashboard-probe-interval=${text}`],
      message: `--dashboard-probe-interval: "${text}" is too long for gateways that have just started: write 5m or less`,
    })),
    { argv: ['--agentrun-fatal-grace=-5s'], message: '--agentrun-fatal-grace: "-5s" is negative: write 0 for none' },
    {
      argv: ['--tracking-marks=example.org/owner=me'],
      message: '--tracking-marks: "example.org/owner=me" is no key of a label or annotation: write example.org/name',
    },
    {
      argv: ['--metrics-bind-address=8443'],
      message: '--metrics-bind-address: "8443" is no address: write host:port, :port, or 0 for none',
    },
    {
      argv: ['--health-probe-bind-address=:70000'],
      message: '--health-probe-bind-address: ":70000" is no address: write host:port, :port, or 0 for none',
    },
  ])('refuses $argv', ({ argv, message }) => {
    expect(() => parseCommand(argv)).toThrow(new UsageError(message));
  });

  it.each([
    { argv: ['--help', '--concurrency=x'], want: { kind: 'help' } },
    { argv: ['--version'], want: { kind: 'version' } },
  ])('knows $argv', ({ argv, want }) => {
    expect(parseCommand(argv)).toEqual(want);
  });

  it('gives options that nobody can change', () => {
    const command = parseCommand([]);
    expect(command.kind === 'run' && Object.isFrozen(command.options)).toBe(true);
  });
});
