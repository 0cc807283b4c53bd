import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { distFiles } from './dist.js';

// cdk8s runs this in the root of the package, names its output folder in the environment and has emptied it before.
const outdir = process.env['CDK8S_OUTDIR'] ?? 'dist';
for (const [path, content] of distFiles(process.cwd())) {
  mkdirSync(dirname(join(outdir, path)), { recursive: true });
  writeFileSync(join(outdir, path), content);
}
