import { chmodSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Makes `npx hermes-gitops` work in a clone: npm links the commands of dependencies, and never a package's own. */
const root = join(import.meta.dirname, '..');
const folder = join(root, 'node_modules', '.bin');
const link = join(folder, 'hermes-gitops');

mkdirSync(folder, { recursive: true });
rmSync(link, { force: true });
symlinkSync(join('..', '..', 'build', 'cli', 'main.js'), link);
chmodSync(join(root, 'build', 'cli', 'main.js'), 0o755);
