import type { KubeClient } from '../cluster/client.js';

/** What the table shows of one agent. */
export interface AgentRow {
  readonly namespace: string;
  readonly name: string;
  readonly phase: string;
  readonly ready: string;
  readonly message: string;
}

interface StatusCondition {
  readonly type: string;
  readonly status: string;
  readonly message: string;
}

/** Reads every agent of the cluster, sorted. */
export async function readAgents(client: KubeClient): Promise<AgentRow[]> {
  const agents = await client.list('/apis/hermes-gitops.dev/v1alpha1/hermesagents');
  return agents.map(({ metadata, status }) => {
    const { phase = '', conditions = [] } = (status ?? {}) as { phase?: string; conditions?: StatusCondition[] };
    const ready = conditions.find((condition) => condition.type === 'Ready');
    return {
      namespace: metadata.namespace ?? '',
      name: metadata.name,
      phase,
      ready: ready?.status ?? '',
      message: ready?.message ?? '',
    };
  });
}

/** Whether nothing will change by waiting: up, asleep, or waiting for a person to create a Secret. */
export function isSettled(agent: AgentRow): boolean {
  return ['Ready', 'Suspended', 'Bootstrap'].includes(agent.phase);
}

const HEADER: AgentRow = { namespace: 'NAMESPACE', name: 'NAME', phase: 'PHASE', ready: 'READY', message: 'MESSAGE' };

/** Prints a table again whenever it differs from the one before; in a terminal the new one takes the old one's place. */
export class StatusTable {
  readonly #out: NodeJS.WriteStream;
  #last = '';

  constructor(out: NodeJS.WriteStream) {
    this.#out = out;
  }

  show(agents: readonly AgentRow[]): void {
    const text = format(agents);
    if (text === this.#last) return;
    if (this.#out.isTTY && this.#last !== '') {
      const lines = this.#last.split('\n').length;
      this.#out.moveCursor(0, -lines);
      this.#out.clearScreenDown();
    }
    this.#out.write(this.#out.isTTY ? `${text}\n` : `${text}\n\n`);
    this.#last = text;
  }
}

function format(agents: readonly AgentRow[]): string {
  const rows = [HEADER, ...agents];
  const columns = ['namespace', 'name', 'phase', 'ready'] as const;
  const widths = columns.map((column) => Math.max(...rows.map((row) => row[column].length)));
  return rows
    .map((row) => {
      const cells = columns.map((column, index) => row[column].padEnd(widths[index] ?? 0));
      return `   ${[...cells, row.message].join('  ')}`.trimEnd();
    })
    .join('\n');
}
