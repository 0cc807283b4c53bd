/** One command-line flag. The table of flags is the one source for parsing, for help and for the docs. */
export interface Flag {
  readonly kind: 'text' | 'switch' | 'list' | 'count' | 'seconds';
  readonly default: string;
  readonly help: string;
}

/** Every flag of the controller. */
export const FLAGS = {
  kubeconfig: {
    kind: 'text',
    default: '',
    help: 'Path of a kubeconfig; in a pod the service account is used instead.',
  },
  context: { kind: 'text', default: '', help: 'Context of the kubeconfig; its current one by default.' },
  namespaces: { kind: 'list', default: '', help: 'Watch these namespaces alone; the whole cluster by default.' },
  'metrics-bind-address': { kind: 'text', default: ':8443', help: 'Where /metrics is served; 0 for nowhere.' },
  'metrics-secure': { kind: 'switch', default: 'true', help: 'Serve metrics over TLS to authorized readers only.' },
  'metrics-cert-dir': { kind: 'text', default: '', help: 'Folder with tls.crt and tls.key; self-signed by default.' },
  'health-probe-bind-address': {
    kind: 'text',
    default: ':8081',
    help: 'Where /healthz and /readyz are; 0 for nowhere.',
  },
  'leader-elect': { kind: 'switch', default: 'false', help: 'Work only while holding a Lease; needed for replicas.' },
  'leader-election-namespace': { kind: 'text', default: '', help: "Namespace of the Lease; the pod's own by default." },
  'allowed-cluster-roles': { kind: 'list', default: '', help: 'ClusterRoles that agents may be bound to.' },
  'allowed-binding-namespaces': { kind: 'list', default: '', help: 'Foreign namespaces that agents may be bound in.' },
  'tracking-marks': { kind: 'list', default: '', help: 'More labels and annotations that mark objects of an engine.' },
  'agentrun-startup-deadline': { kind: 'seconds', default: '0', help: 'Time for a run to start; 0 for no limit.' },
  'agentrun-ttl': { kind: 'seconds', default: '-1', help: 'How long finished runs of the CLI stay; -1 for ever.' },
  'agentrun-fatal-grace': { kind: 'seconds', default: '0', help: 'How long a run may be stuck before it fails.' },
  'probe-via-apiserver': {
    kind: 'switch',
    default: 'false',
    help: 'Ask dashboards through the API server instead of at the pods.',
  },
  'dashboard-probe-interval': {
    kind: 'seconds',
    default: '30s',
    help: 'Between two questions to one dashboard, 1s to 5m.',
  },
  concurrency: { kind: 'count', default: '16', help: 'Agents, and runs, that are worked on at one time.' },
  'log-format': { kind: 'text', default: 'json', help: 'json, or text for people.' },
  'log-level': { kind: 'text', default: 'info', help: 'debug, info, warn or error.' },
  help: { kind: 'switch', default: 'false', help: 'Show the flags and end.' },
  version: { kind: 'switch', default: 'false', help: 'Show the version and end.' },
} as const satisfies Record<string, Flag>;

/** Name of a flag. */
export type FlagName = keyof typeof FLAGS;

/** The command line is wrong; the message is for its author. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * The text of each flag: `--name value`, `--name=value`, and for a switch also `--name` and `--no-name`. A list that is
 * given more than once is all of them, any other flag what it was given last.
 */
export function parseFlags(argv: readonly string[]): ReadonlyMap<FlagName, string> {
  const values = new Map<FlagName, string>();
  const rest = [...argv];
  for (let argument = rest.shift(); argument !== undefined; argument = rest.shift()) {
    const { name, value = rest.shift() } = readArgument(argument);
    if (value === undefined) throw new UsageError(`--${name} needs a value`);
    const former = FLAGS[name].kind === 'list' ? values.get(name) : undefined;
    values.set(name, former === undefined ? value : `${former},${value}`);
  }
  return values;
}

/** One argument; without a value when the next argument is it. */
function readArgument(argument: string): { readonly name: FlagName; readonly value?: string } {
  const [, written, value] = /^--([a-z-]+)(?:=(.*))?$/s.exec(argument) ?? [];
  if (written === undefined) throw new UsageError(`unexpected argument "${argument}"`);
  if (isFlag(written)) {
    if (value !== undefined) return { name: written, value };
    return FLAGS[written].kind === 'switch' ? { name: written, value: 'true' } : { name: written };
  }
  const negated = written.replace(/^no-/, '');
  const isSwitch = isFlag(negated) && FLAGS[negated].kind === 'switch' && value === undefined;
  if (!isSwitch || negated === written) throw new UsageError(`unknown flag --${written}`);
  return { name: negated, value: 'false' };
}

function isFlag(name: string): name is FlagName {
  return Object.hasOwn(FLAGS, name);
}

/** The flags with their meaning, a line each. */
export function flagHelp(): string {
  return Object.entries(FLAGS)
    .map(([name, flag]) => `  --${name.padEnd(28)} ${flag.help}${flag.default === '' ? '' : ` (${flag.default})`}`)
    .join('\n');
}
