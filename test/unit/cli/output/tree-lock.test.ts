import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withTreeLock } from '../../../../cli/output/tree-lock.js';

let base: string;
let cacheHome: string | undefined;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'hermes-lock-'));
  cacheHome = process.env['XDG_CACHE_HOME'];
  process.env['XDG_CACHE_HOME'] = base;
});

afterEach(() => {
  rmSync(base, { recursive: true, force: true });
  if (cacheHome === undefined) delete process.env['XDG_CACHE_HOME'];
  else process.env['XDG_CACHE_HOME'] = cacheHome;
});

const locks = (): string[] => readdirSync(join(base, 'hermes-gitops', 'locks'));

/** Number that no process has. */
const DEAD = 2 ** 22 + 1;

/** Name of the lock of `/out`. */
const LOCK = createHash('sha256').update('/out').digest('hex');

/** Puts a file that holds the number of a process beside the locks. */
function put(name: string, pid: number): void {
  mkdirSync(join(base, 'hermes-gitops', 'locks'), { recursive: true });
  writeFileSync(join(base, 'hermes-gitops', 'locks', name), String(pid));
}

/** Puts the lock of `/out` into the hands of a process. */
function giveTo(pid: number): void {
  put(LOCK, pid);
}

/** An action of one synth, which loads the rest of itself while it holds the lock. */
const gives = (value: number) => (): Promise<number> => Promise.resolve(value);

describe('withTreeLock', () => {
  it('gives the result and leaves nothing', async () => {
    expect(await withTreeLock('/out', gives(7))).toBe(7);
    expect(locks()).toEqual([]);
  });

  it('leaves nothing when the action fails', async () => {
    await expect(withTreeLock('/out', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(locks()).toEqual([]);
  });

  it('keeps others out of one folder until the action is over, and out of no other', async () => {
    await withTreeLock('/out', async () => {
      await new Promise((resolve) => setTimeout(resolve));
      await expect(withTreeLock('/out', gives(1), 0)).rejects.toThrow(
        /^process \d+ has been writing to \/out for long; remove /,
      );
      expect(await withTreeLock('/other', gives(2), 0)).toBe(2);
    });
    expect(await withTreeLock('/out', gives(3), 0)).toBe(3);
  });

  it('waits for the living and not for the dead', async () => {
    giveTo(process.ppid);
    await expect(withTreeLock('/out', gives(1), 0)).rejects.toThrow(`process ${process.ppid} has been writing`);
    giveTo(DEAD);
    expect(await withTreeLock('/out', gives(1), 0)).toBe(1);
    expect(locks()).toEqual([]);
  });

  it('takes over from a dead process that had its own number, as in a container each one may have', async () => {
    giveTo(process.pid);
    expect(await withTreeLock('/out', gives(1), 0)).toBe(1);
    expect(locks()).toEqual([]);
  });

  it('removes what killed synths left beside the lock, and nothing of the living or of other folders', async () => {
    put(`${LOCK}.${DEAD}`, DEAD);
    put(`${LOCK}.${DEAD}.taken`, DEAD);
    put(`${LOCK}.${process.ppid}`, process.ppid);
    put(`other.${DEAD}`, DEAD);
    expect(await withTreeLock('/out', gives(1))).toBe(1);
    expect(locks().sort()).toEqual([`${LOCK}.${process.ppid}`, `other.${DEAD}`].sort());
  });

  it('does without a lock where it can keep none', async () => {
    process.env['XDG_CACHE_HOME'] = '/dev/null/nothing';
    expect(await withTreeLock('/out', gives(3))).toBe(3);
  });
});
