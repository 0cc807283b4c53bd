import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { distFiles } from './dist.js';

/** Fails when `dist` is not what `cdk8s synth` would write now. Writes nothing. */
const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const expected = distFiles(root);
const present = existsSync(dist)
  ? readdirSync(dist, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(dist.length + 1))
  : [];

const stale = [...expected]
  .filter(([path, content]) => {
    return !present.includes(path) || Buffer.compare(readFileSync(join(dist, path)), content) !== 0;
  })
  .map(([path]) => path);
const left = present.filter((path) => !expected.has(path));

if (stale.length + left.length > 0) {
  for (const path of [...stale, ...left].sort()) process.stderr.write(`dist/${path} is out of date\n`);
  process.stderr.write('run npx cdk8s synth\n');
  process.exitCode = 1;
}
