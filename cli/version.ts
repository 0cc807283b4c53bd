import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Version of this package, whether it runs from its sources or from its build. */
export function packageVersion(): string {
  for (let folder = import.meta.dirname; folder !== dirname(folder); folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    if (!existsSync(manifest)) continue;
    const content: unknown = JSON.parse(readFileSync(manifest, 'utf8'));
    return typeof content === 'object' && content !== null && 'version' in content ? String(content.version) : '';
  }
  return '';
}
