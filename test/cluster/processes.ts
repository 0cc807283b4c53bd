import { spawn, type ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { GuardianMessage, GuardianRequest } from './guardian-protocol.js';

/** One program of a bed. */
export interface ProgramSpec {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** The processes of one bed, all children of its guardian. */
export class Processes {
  readonly #directory: string;
  readonly #guardian: ChildProcess;
  readonly #pids = new Map<string, number>();
  readonly #exits = new Map<string, string>();
  readonly #listeners = new Set<() => void>();

  constructor(directory: string) {
    this.#directory = directory;
    this.#guardian = spawn(
      process.execPath,
      [
        '--import',
        createRequire(import.meta.url).resolve('tsx'),
        fileURLToPath(new URL('guardian.ts', import.meta.url)),
        directory,
      ],
      { detached: true, stdio: ['pipe', 'pipe', 'inherit'] },
    );
    if (this.#guardian.stdout === null) throw new Error('the guardian has no output');
    // Whoever waits for a message of the guardian must hear that there will be none.
    this.#guardian.once('exit', () => {
      this.#notify();
    });
    this.#guardian.stdin?.on('error', () => undefined);
    createInterface({ input: this.#guardian.stdout }).on('line', (line) => {
      this.#hear(JSON.parse(line) as GuardianMessage);
    });
  }

  /** Starts a program and resolves with its process id. */
  async start(program: ProgramSpec): Promise<number> {
    const { name, command, args, env = {} } = program;
    this.#exits.delete(name);
    this.#send({ kind: 'start', name, command, args, env, log: this.logFile(name) });
    return this.#until(() => {
      const reason = this.#exits.get(name);
      if (reason !== undefined) throw new Error(`${name} did not start: ${reason}, see ${this.logFile(name)}`);
      return this.#pids.get(name);
    });
  }

  /** Sends a signal; for SIGKILL and SIGTERM resolves when the process is gone. */
  async signal(name: string, signal: NodeJS.Signals): Promise<void> {
    if (!this.#pids.has(name)) return;
    this.#send({ kind: 'signal', name, signal });
    if (signal === 'SIGKILL' || signal === 'SIGTERM')
      await this.#until(() => (this.#pids.has(name) ? undefined : true));
  }

  /** Why a program ended, or undefined while it runs. */
  exitOf(name: string): string | undefined {
    return this.#exits.get(name);
  }

  /** Process id of a running program. */
  pidOf(name: string): number | undefined {
    return this.#pids.get(name);
  }

  /** Where a program's output goes. */
  logFile(name: string): string {
    return join(this.#directory, `${name}.log`);
  }

  /** Ends every program, removes the folder, and resolves when both are done. */
  async end(): Promise<void> {
    if (this.#isGuardianGone()) return;
    const gone = new Promise((resolve) => this.#guardian.once('exit', resolve));
    this.#guardian.stdin?.end();
    await gone;
  }

  #isGuardianGone(): boolean {
    return this.#guardian.exitCode !== null || this.#guardian.signalCode !== null;
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }

  #send(request: GuardianRequest): void {
    this.#guardian.stdin?.write(`${JSON.stringify(request)}\n`);
  }

  #hear(message: GuardianMessage): void {
    if (message.kind === 'started') this.#pids.set(message.name, message.pid);
    else {
      this.#pids.delete(message.name);
      this.#exits.set(message.name, message.reason);
    }
    this.#notify();
  }

  #until<T>(read: () => T | undefined): Promise<T> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        try {
          const value = read();
          if (value === undefined) {
            if (this.#isGuardianGone()) throw new Error('the guardian of the bed ended');
            return;
          }
          this.#listeners.delete(check);
          resolve(value);
        } catch (error) {
          this.#listeners.delete(check);
          reject(error instanceof Error ? error : new Error(String(error)));
        }
      };
      this.#listeners.add(check);
      check();
    });
  }
}
