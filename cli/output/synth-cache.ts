import { createHash, type Hash } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import type { FleetFile } from '../../lib/fleet/read-fleet.js';
import { cacheFolder } from '../cache-folder.js';
import type { Report } from '../report.js';

/** What a synth found and wrote, for the next one that is asked the same. */
export interface CachedSynth {
  /** Digest of everything that the result depends on. */
  readonly key: string;
  /** Path below the output folder to the digest of its content: every file of the tree. */
  readonly files: Readonly<Record<string, string>>;
  /** Said again, so that a warning does not vanish with the second run. */
  readonly report: Report;
  readonly agents: number;
}

/**
 * A digest over the inputs, the options and the renderer itself. The renderer counts by its code and not only by its
 * version, so a changed one never meets an old result.
 */
export function synthKey(files: readonly FleetFile[], options: Readonly<Record<string, unknown>>): string {
  const hash = createHash('sha256');
  part(hash, JSON.stringify(options));
  part(hash, rendererDigest());
  for (const { name, bytes } of files) {
    part(hash, name);
    part(hash, bytes);
  }
  return hash.digest('hex');
}

/** With its length before it, so that no two lists of parts run together to the same bytes. */
function part(hash: Hash, content: string | Uint8Array): void {
  const bytes = Buffer.from(content);
  hash.update(`${bytes.length}:`).update(bytes);
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

/** Packages whose behaviour is part of the result. */
const PACKAGES = ['yaml', '@marcbachmann/cel-js'];

function rendererDigest(): string {
  const hash = createHash('sha256').update(process.version);
  const root = join(import.meta.dirname, '..', '..');
  for (const room of ['lib', 'cli']) {
    const entries = readdirSync(join(root, room), { recursive: true, encoding: 'utf8' });
    for (const entry of entries.filter((name) => /(?<!\.d)\.[jt]s$/.test(name)).sort()) {
      part(hash, entry);
      part(hash, readFileSync(join(root, room, entry)));
    }
  }
  for (const name of PACKAGES) hash.update(packageManifest(name));
  return hash.digest('hex');
}

/** The nearest package.json above a package's entry point: it holds the version that is really loaded. */
function packageManifest(name: string): Uint8Array | string {
  let folder = dirname(createRequire(import.meta.url).resolve(name));
  for (; folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    if (lstatSync(manifest, { throwIfNoEntry: false }) !== undefined && folder.endsWith(name))
      return readFileSync(manifest);
  }
  return name;
}
