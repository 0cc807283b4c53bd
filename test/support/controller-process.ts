import { spawn, type ChildProcess } from 'node:child_process';
import http from 'node:http';
import { imageEntry } from './image-entry.js';

/** The controller as users run it: one file, a process of its own. */
export interface ControllerProcess {
  readonly pid: number;
  readonly metricsUrl: string;
  readonly healthUrl: string;
  /** What it has logged so far, a line each. */
  log(): readonly Readonly<Record<string, unknown>>[];
  /** Sends a signal and resolves with the exit code, or with the signal that ended it. */
  end(signal: NodeJS.Signals): Promise<number | string>;
}

/** How Node.js runs the controller. */
export interface NodeSettings {
  readonly args?: readonly string[];
  /** Working directory. */
  readonly cwd?: string;
  /** Beside those of the test itself. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts a controller and resolves when it serves. */
export async function startController(
  bundle: string,
  args: readonly string[],
  node: NodeSettings = {},
): Promise<ControllerProcess> {
  const local = ['--metrics-bind-address=127.0.0.1:0', '--health-probe-bind-address=127.0.0.1:0'];
  const child = spawn(process.execPath, [...imageEntry().nodeFlags, ...(node.args ?? []), bundle, ...local, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(node.cwd === undefined ? {} : { cwd: node.cwd }),
    ...(node.env === undefined ? {} : { env: { ...process.env, ...node.env } }),
  });
  const lines: Record<string, unknown>[] = [];
  const ended = new Promise<number | string>((resolve) => {
    child.on('exit', (code, signal) => {
      resolve(code ?? signal ?? 'unknown');
    });
  });
  const [metricsPort, healthPort] = await Promise.race([
    readLog(child, lines),
    ended.then((code) => {
      throw new Error(`controller ended with ${code}: ${JSON.stringify(lines.at(-1))}`);
    }),
  ]);
  return {
    pid: child.pid ?? 0,
    metricsUrl: `http://127.0.0.1:${metricsPort}/metrics`,
    healthUrl: `http://127.0.0.1:${healthPort}`,
    log: () => lines,
    end: (signal) => {
      child.kill(signal);
      return ended;
    },
  };
}

function readLog(child: ChildProcess, lines: Record<string, unknown>[]): Promise<readonly number[]> {
  return new Promise((resolve) => {
    let rest = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      const parts = (rest + chunk.toString('utf8')).split('\n');
      rest = parts.pop() ?? '';
      for (const part of parts) {
        const line = JSON.parse(part) as Record<string, unknown>;
        lines.push(line);
        if (Array.isArray(line['ports'])) resolve(line['ports'] as number[]);
      }
    });
  });
}

/** GETs a page. */
export function fetchPage(url: string): Promise<{ readonly status: number; readonly body: string }> {
  return new Promise((resolve, reject) => {
    http
      .get(url, { agent: false }, (response) => {
        let body = '';
        response.on('data', (chunk: Buffer) => (body += chunk.toString('utf8')));
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, body });
        });
      })
      .on('error', reject);
  });
}
