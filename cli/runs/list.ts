import type { AgentRunSpec, AgentRunStatus } from '../../lib/api/generated/types.js';
import { RUN_CONDITION_TYPES } from '../../lib/api/run-reasons.js';
import type { KubeApi } from '../../controller/kube/client.js';
import { listAll } from '../../controller/kube/list.js';
import { RESOURCES } from '../../controller/kube/resources.js';
import { type ClusterFlags, withCluster } from '../cluster/connect.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import type { Printer } from '../report.js';

/** Arguments of `runs list`. */
export interface ListOptions extends ClusterFlags {
  /** All namespaces without it. */
  readonly namespace?: string;
}

/** A run as the API server sends it. */
export interface StoredRun {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly generation?: number;
    readonly creationTimestamp: string;
  };
  readonly spec?: AgentRunSpec;
  readonly status?: AgentRunStatus;
}

/** Prints the runs of the cluster as a table. */
export function listRuns(options: ListOptions, printer: Printer): Promise<ExitCode> {
  return withCluster(options, async (api: KubeApi) => {
    const { namespace } = options;
    const selection = { resource: RESOURCES.runs, ...(namespace !== undefined && { namespace }) };
    const { items } = await listAll(api, selection, (item) => item as StoredRun);
    const where = namespace === undefined ? '' : ` in namespace ${namespace}`;
    if (items.length === 0) printer.err(`no runs${where}`);
    else printer.out(runTable(items, api.now()));
    return EXIT.done;
  });
}

const HEAD = ['NAMESPACE', 'NAME', 'AGENT', 'PHASE', 'REASON', 'AGE', 'DURATION'];

/** Runs as kubectl would show them, in the order of their names. `now` is in milliseconds. */
export function runTable(runs: readonly StoredRun[], now: number): string {
  const rows = [...runs]
    .sort((a, b) => (key(a) < key(b) ? -1 : 1))
    .map(({ metadata, spec, status }) => [
      metadata.namespace,
      metadata.name,
      spec?.agentRef?.name ?? '',
      status?.phase ?? '',
      status?.conditions?.find(({ type }) => type === RUN_CONDITION_TYPES.succeeded)?.reason ?? '',
      timeSpan((now - Date.parse(metadata.creationTimestamp)) / 1000),
      status?.duration === undefined ? '' : timeSpan(status.duration),
    ]);
  const widths = HEAD.map((head, column) => Math.max(head.length, ...rows.map((row) => row[column]?.length ?? 0)));
  return [HEAD, ...rows]
    .map((row) =>
      row
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('   ')
        .trimEnd(),
    )
    .join('\n');
}

function key({ metadata }: StoredRun): string {
  return `${metadata.namespace}/${metadata.name}`;
}

const UNITS: readonly (readonly [string, number])[] = [
  ['d', 86400],
  ['h', 3600],
  ['m', 60],
];

/** Seconds in the largest unit of which there are at least two, as kubectl rounds: `90s`, `2m`, `25h`. */
export function timeSpan(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const [unit, size] = UNITS.find(([, length]) => whole >= 2 * length) ?? ['s', 1];
  return `${Math.floor(whole / size)}${unit}`;
}
