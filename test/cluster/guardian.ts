import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { GuardianMessage, GuardianRequest } from './guardian-protocol.js';

/**
 * Parent of every process of a test bed. It runs in a session of its own and reads requests from its standard input: when
 * that closes, because the test process stopped, crashed or was killed, it kills what it started and removes the bed's
 * folder. A handler in the test process could not do that after a SIGKILL.
 */
const directory = process.argv[2] ?? '';
if (directory === '') throw new Error('usage: guardian.ts <directory>');

const children = new Map<string, ChildProcess>();

function tell(message: GuardianMessage): void {
  process.stdout.write(`${JSON.stringify(message)}\n`);
}

function start({ name, command, args, env, log }: Extract<GuardianRequest, { kind: 'start' }>): void {
  const output = openSync(log, 'a');
  const child = spawn(command, args, {
    cwd: directory,
    env: { ...process.env, ...env },
    stdio: ['ignore', output, output],
    // A group of its own, so that what the program starts ends with it.
    detached: true,
  });
  closeSync(output);
  children.set(name, child);
  child.on('error', (error) => {
    // A program that never ran has no exit to wait for.
    if (child.pid === undefined) children.delete(name);
    tell({ kind: 'exited', name, reason: error.message });
  });
  child.on('exit', (code, signal) => {
    children.delete(name);
    tell({ kind: 'exited', name, reason: signal ?? `exit code ${String(code)}` });
  });
  if (child.pid !== undefined) tell({ kind: 'started', name, pid: child.pid });
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function end(): void {
  const exits = [...children.values()].map((child) => new Promise((resolve) => child.once('exit', resolve)));
  for (const child of children.values()) killGroup(child);
  void Promise.all(exits).then(() => {
    rmSync(directory, { recursive: true, force: true });
    process.exit(0);
  });
}

// Ctrl-C reaches the whole foreground group of a terminal; only the closed pipe ends the guardian.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);
process.on('SIGHUP', () => undefined);
// The reader of our messages may be gone before we are.
process.stdout.on('error', () => undefined);

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const request = JSON.parse(line) as GuardianRequest;
    if (request.kind === 'start') start(request);
    else children.get(request.name)?.kill(request.signal);
  })
  .on('close', end);
