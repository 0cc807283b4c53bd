import { FLAGS, parseFlags, UsageError, type FlagName } from './flags.js';
import { parseBindAddress, type BindAddress } from './http/bind-address.js';

/** Everything that can be set, parsed once. */
export interface ControllerOptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  /** Empty for the whole cluster. */
  readonly namespaces: readonly string[];
  readonly metricsAddress?: BindAddress;
  readonly metricsSecure: boolean;
  readonly metricsCertDir?: string;
  readonly healthAddress?: BindAddress;
  readonly leaderElect: boolean;
  readonly leaderElectionNamespace?: string;
  readonly allowedClusterRoles: readonly string[];
  readonly allowedBindingNamespaces: readonly string[];
  readonly trackingMarks: readonly string[];
  /** 0 for none. */
  readonly runStartupDeadlineSeconds: number;
  /** Below 0 for never. */
  readonly runTtlSeconds: number;
  readonly runFatalGraceSeconds: number;
  readonly probeViaApiServer: boolean;
  /** From 1 to 300. */
  readonly dashboardProbeIntervalSeconds: number;
  readonly concurrency: number;
  readonly logFormat: 'json' | 'text';
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error';
}

/** What the command line asks for. */
export type Command =
  | { readonly kind: 'run'; readonly options: ControllerOptions }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' };

/** Reads a command line; throws {@link UsageError} when it is wrong. */
export function parseCommand(argv: readonly string[]): Command {
  const values = parseFlags(argv);
  const read = (name: FlagName): string => values.get(name) ?? FLAGS[name].default;
  if (toSwitch('help', read('help'))) return { kind: 'help' };
  if (toSwitch('version', read('version'))) return { kind: 'version' };
  return { kind: 'run', options: Object.freeze(toOptions(read)) };
}

function toOptions(read: (name: FlagName) => string): ControllerOptions {
  const metricsAddress = toAddress('metrics-bind-address', read('metrics-bind-address'));
  const healthAddress = toAddress('health-probe-bind-address', read('health-probe-bind-address'));
  return {
    ...optional('kubeconfig', read('kubeconfig')),
    ...optional('context', read('context')),
    namespaces: toList(read('namespaces')),
    ...(metricsAddress === undefined ? {} : { metricsAddress }),
    metricsSecure: toSwitch('metrics-secure', read('metrics-secure')),
    ...optional('metricsCertDir', read('metrics-cert-dir')),
    ...(healthAddress === undefined ? {} : { healthAddress }),
    leaderElect: toSwitch('leader-elect', read('leader-elect')),
    ...optional('leaderElectionNamespace', read('leader-election-namespace')),
    allowedClusterRoles: toList(read('allowed-cluster-roles')),
    allowedBindingNamespaces: toList(read('allowed-binding-namespaces')),
    trackingMarks: toMarks(read('tracking-marks')),
    runStartupDeadlineSeconds: toTime('agentrun-startup-deadline', read('agentrun-startup-deadline')),
    runTtlSeconds: toSeconds('agentrun-ttl', read('agentrun-ttl')),
    runFatalGraceSeconds: toTime('agentrun-fatal-grace', read('agentrun-fatal-grace')),
    probeViaApiServer: toSwitch('probe-via-apiserver', read('probe-via-apiserver')),
    dashboardProbeIntervalSeconds: toInterval('dashboard-probe-interval', read('dashboard-probe-interval')),
    concurrency: toCount('concurrency', read('concurrency')),
    logFormat: oneOf('log-format', read('log-format'), ['json', 'text']),
    logLevel: oneOf('log-level', read('log-level'), ['debug', 'info', 'warn', 'error']),
  };
}

function optional<K extends string>(key: K, value: string): Partial<Record<K, string>> {
  return value === '' ? {} : ({ [key]: value } as Record<K, string>);
}

function toList(text: string): readonly string[] {
  const items = text.split(',').map((item) => item.trim());
  return Object.freeze([...new Set(items.filter((item) => item !== ''))]);
}

function toSwitch(name: FlagName, text: string): boolean {
  return oneOf(name, text, ['true', 'false']) === 'true';
}

function toCount(name: FlagName, text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new UsageError(`--${name}: "${text}" is no number from 1 to 9999`);
  return Number(text);
}

function toSeconds(name: FlagName, text: string): number {
  const match = /^(-?\d{1,9})(s|m|h)?$/.exec(text);
  if (match === null) throw new UsageError(`--${name}: "${text}" is no time: write seconds, or 90s, 5m, 2h`);
  const unit = { s: 1, m: 60, h: 3600 }[match[2] ?? 's'] ?? 1;
  return Number(match[1]) * unit;
}

/** Seconds that cannot be negative. */
function toTime(name: FlagName, text: string): number {
  const seconds = toSeconds(name, text);
  if (seconds < 0) throw new UsageError(`--${name}: "${text}" is negative: write 0 for none`);
  return seconds;
}

/** Within ten minutes by default a gateway has to be seen connected, or its agent is Degraded. */
const LONGEST_INTERVAL_SECONDS = 300;

/** Seconds between two looks at what people wait for. */
function toInterval(name: FlagName, text: string): number {
  const seconds = toSeconds(name, text);
  if (seconds < 1) throw new UsageError(`--${name}: "${text}" is too short: write 1s or more`);
  if (seconds > LONGEST_INTERVAL_SECONDS) {
    throw new UsageError(`--${name}: "${text}" is too long for gateways that have just started: write 5m or less`);
  }
  return seconds;
}

/** Keys of labels and annotations: a prefix that is a DNS name, and a name. */
function toMarks(text: string): readonly string[] {
  const marks = toList(text);
  const wrong = marks.find(
    (mark) => !/^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?[A-Za-z0-9]([-\w.]*[A-Za-z0-9])?$/.test(mark),
  );
  if (wrong !== undefined) {
    throw new UsageError(`--tracking-marks: "${wrong}" is no key of a label or annotation: write example.org/name`);
  }
  return marks;
}

function toAddress(name: FlagName, text: string): BindAddress | undefined {
  try {
    return parseBindAddress(text);
  } catch (cause) {
    throw new UsageError(`--${name}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

function oneOf<const T extends string>(name: FlagName, text: string, allowed: readonly T[]): T {
  const found = allowed.find((value) => value === text);
  if (found === undefined) throw new UsageError(`--${name}: "${text}" is none of ${allowed.join(', ')}`);
  return found;
}
