import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { agentSpecPage, runSpecPage } from './agent-spec.js';
import { apiPage } from './api.js';

/** Writes the generated pages; with `--check` only says which of them are out of date. */
const docs = join(import.meta.dirname, '..');
const pages: Readonly<Record<string, string>> = {
  'agent-spec.md': await agentSpecPage(),
  'run-spec.md': await runSpecPage(),
  'api.md': await apiPage(join(docs, '..')),
};

for (const [name, text] of Object.entries(pages)) {
  const path = join(docs, name);
  if (!process.argv.includes('--check')) writeFileSync(path, text);
  else if (!existsSync(path) || readFileSync(path, 'utf8') !== text) {
    process.stderr.write(`docs/${name} is out of date: run npm run docs\n`);
    process.exitCode = 1;
  }
}
