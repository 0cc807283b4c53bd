import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { FleetFile } from '../../lib/fleet/read-fleet.js';
import { cacheFolder } from '../cache-folder.js';
import type { Report } from '../report.js';
import { hashPart, rendererDigest } from './renderer-digest.js';

/** What a synth found and wrote, for the next one that is asked the same. */
export interface CachedSynth {
  /** Digest of everything that the result depends on. */
  readonly key: string;
  /** Path below the output folder to the digest of its content: every file of the tree. */
  readonly files: Readonly<Record<string, string>>;
  /** Said again, so that a warning does not vanish with the second run. */
  readonly report: Report;
  readonly agents: number;
  readonly runs: number;
}

/** A digest over the inputs, the options and the renderer itself, so that a changed one never meets an old result. */
export function synthKey(files: readonly FleetFile[], options: Readonly<Record<string, unknown>>): string {
  const hash = createHash('sha256');
  hashPart(hash, JSON.stringify(options));
  hashPart(hash, process.version);
  hashPart(hash, rendererDigest());
  for (const { name, bytes } of files) {
    hashPart(hash, name);
    hashPart(hash, bytes);
  }
  return hash.digest('hex');
}

/** The former result for `out`, if it was for the same `key` and the tree is still what it was. */
export function recallSynth(out: string, key: string): CachedSynth | undefined {
  try {
    const cached = JSON.parse(readFileSync(cacheFile(out), 'utf8')) as CachedSynth;
    if (cached.key !== key) return undefined;
    const untouched = Object.entries(cached.files).every(([path, digest]) => {
      const file = join(out, path);
      return lstatSync(file).isFile() && contentDigest(readFileSync(file)) === digest;
    });
    return untouched ? cached : undefined;
  } catch {
    // No cache, or one that is not readable: the long way gives the same result.
    return undefined;
  }
}

/** Keeps a result. A place that cannot be written is no fault: the next synth only takes longer. */
export function rememberSynth(
  out: string,
  result: Omit<CachedSynth, 'files'>,
  files: ReadonlyMap<string, Uint8Array>,
): void {
  const digests = Object.fromEntries([...files].map(([path, content]) => [path, contentDigest(content)]));
  const place = cacheFile(out);
  try {
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(`${place}.${process.pid}`, JSON.stringify({ ...result, files: digests }));
    renameSync(`${place}.${process.pid}`, place);
  } catch {
    return;
  }
}

function contentDigest(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('base64');
}

/** Outside of the tree, because it is of use on this machine only and the tree goes into Git. */
function cacheFile(out: string): string {
  return join(cacheFolder(), 'synth', `${createHash('sha256').update(resolve(out)).digest('hex')}.json`);
}
