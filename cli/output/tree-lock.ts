import { createHash } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { cacheFolder } from '../cache-folder.js';
import { IoError } from '../exit-codes.js';
import { isAlive } from '../processes.js';

/** Longest time that a synth waits for another one. */
const PATIENCE_MS = 60_000;

const PAUSE_MS = 20;

/** Locks that this process holds. Any other with its number is of a dead one: in a container every synth may have the same. */
const held = new Set<string>();

/**
 * Runs `action` while no other synth of this user writes to `out`, and waits for one that does. Where no lock can be
 * kept, it runs without: each file is still replaced as a whole.
 */
export async function withTreeLock<T>(out: string, action: () => Promise<T>, patience = PATIENCE_MS): Promise<T> {
  const lock = lockFile(out);
  const mine = `${lock}.${process.pid}`;
  try {
    mkdirSync(dirname(lock), { recursive: true });
    writeFileSync(mine, String(process.pid));
  } catch {
    return action();
  }
  try {
    acquire(lock, mine, { out, patience });
    held.add(lock);
    try {
      removeRemains(lock);
      return await action();
    } finally {
      held.delete(lock);
      rmSync(lock, { force: true });
    }
  } finally {
    rmSync(mine, { force: true });
  }
}

function acquire(lock: string, mine: string, { out, patience }: { out: string; patience: number }): void {
  const end = Date.now() + patience;
  while (!claim(lock, mine)) {
    const owner = ownerOf(lock);
    if (owner !== undefined && isOver(lock, owner)) takeAway(lock, mine, owner);
    else if (Date.now() > end) {
      throw new IoError(`process ${owner ?? 0} has been writing to ${out} for long; remove ${lock} if it has not`);
    } else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
  }
}

/** A link, because it comes with its content: a lock is never seen without its owner. */
function claim(lock: string, mine: string): boolean {
  try {
    linkSync(mine, lock);
    return true;
  } catch {
    return false;
  }
}

function ownerOf(lock: string): number | undefined {
  try {
    return Number(readFileSync(lock, 'utf8'));
  } catch {
    return undefined;
  }
}

function isOver(lock: string, owner: number): boolean {
  return owner === process.pid ? !held.has(lock) : !isAlive(owner);
}

/** Removes what synths that were killed while they held or waited for this lock left beside it. */
function removeRemains(lock: string): void {
  for (const entry of readdirSync(dirname(lock))) {
    if (!entry.startsWith(`${basename(lock)}.`)) continue;
    const owner = Number.parseInt(entry.slice(basename(lock).length + 1), 10);
    if (owner !== process.pid && !isAlive(owner)) rmSync(join(dirname(lock), entry), { force: true });
  }
}

/** Removes the lock of a dead process. Another one may have done so meanwhile and hold a new lock: that is put back. */
function takeAway(lock: string, mine: string, owner: number): void {
  const taken = `${mine}.taken`;
  try {
    renameSync(lock, taken);
  } catch {
    return;
  }
  if (ownerOf(taken) !== owner) claim(lock, taken);
  rmSync(taken, { force: true });
}

function lockFile(out: string): string {
  const place = existsSync(out) ? realpathSync(out) : out;
  return join(cacheFolder(), 'locks', createHash('sha256').update(place).digest('hex'));
}
