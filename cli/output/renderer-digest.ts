import { createHash, type Hash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Put in by the bundler; absent in a process that runs from its sources. */
declare const HERMES_GITOPS_RENDERER: string | undefined;

/** Packages whose behaviour is part of what is rendered. */
const PACKAGES = ['yaml', '@marcbachmann/cel-js'];

/** A digest over the renderer by its code, and not only by its version, so that a changed one has another. */
export function rendererDigest(): string {
  return typeof HERMES_GITOPS_RENDERER === 'string' ? HERMES_GITOPS_RENDERER : sourcesDigest();
}

/** {@link rendererDigest} of the sources that this process runs from. */
export function sourcesDigest(): string {
  const hash = createHash('sha256');
  const root = join(import.meta.dirname, '..', '..');
  for (const room of ['lib', 'cli']) {
    const entries = readdirSync(join(root, room), { recursive: true, encoding: 'utf8' });
    for (const entry of entries.filter((name) => name.endsWith('.ts')).sort()) {
      hashPart(hash, entry);
      hashPart(hash, readFileSync(join(root, room, entry)));
    }
  }
  for (const name of PACKAGES) hash.update(packageManifest(name));
  return hash.digest('hex');
}

/** Adds a part with its length before it, so that no two lists of parts run together to the same bytes. */
export function hashPart(hash: Hash, content: string | Uint8Array): void {
  hash.update(`${Buffer.byteLength(content)}:`).update(content);
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
