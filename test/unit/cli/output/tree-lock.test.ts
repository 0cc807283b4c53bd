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

/** Puts the lock of `/out` into the hands of a process. */
function giveTo(pid: number): void {
  const name = createHash('sha256').update('/out').digest('hex');
  mkdirSync(join(base, 'hermes-gitops', 'locks'), { recursive: true });
  writeFileSync(join(base, 'hermes-gitops', 'locks', name), String(pid));
}

describe('withTreeLock', () => {
  it('gives the result and leaves nothing', () => {
    expect(withTreeLock('/out', () => 7)).toBe(7);
    expect(locks()).toEqual([]);
  });

  it('leaves nothing when the action fails', () => {
    expect(() =>
      withTreeLock('/out', () => {
        throw new Error('no');
      }),
    ).toThrow('no');
    expect(locks()).toEqual([]);
  });

  it('keeps others out of one folder, and out of no other', () => {
    withTreeLock('/out', () => {
      expect(() => withTreeLock('/out', () => 1, 0)).toThrow(
        /^process \d+ has been writing to \/out for long; remove /,
      );
      expect(withTreeLock('/other', () => 2, 0)).toBe(2);
    });
  });

  it('waits for the living and not for the dead', () => {
    giveTo(process.ppid);
    expect(() => withTreeLock('/out', () => 1, 0)).toThrow(`process ${process.ppid} has been writing`);
    giveTo(2 ** 22 + 1);
    expect(withTreeLock('/out', () => 1, 0)).toBe(1);
    expect(locks()).toEqual([]);
  });

  it('does without a lock where it can keep none', () => {
    process.env['XDG_CACHE_HOME'] = '/dev/null/nothing';
    expect(withTreeLock('/out', () => 3)).toBe(3);
  });
});
