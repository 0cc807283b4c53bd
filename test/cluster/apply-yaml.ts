import { readFile } from 'node:fs/promises';
import { parseAllDocuments } from 'yaml';
import type { ApplyOptions, KubeAnswer, KubeClient, KubeManifest } from './client.js';

/** Applies every document of some YAML files, in their order; resolves with the answers, warnings included. */
export async function applyYaml(
  client: KubeClient,
  files: readonly (string | URL)[],
  options: ApplyOptions = {},
): Promise<readonly KubeAnswer[]> {
  const answers: KubeAnswer[] = [];
  for (const file of files) {
    for (const document of parseAllDocuments(await readFile(file, 'utf8'))) {
      const manifest = document.toJS() as KubeManifest | null;
      if (manifest !== null) answers.push(await client.apply(manifest, options));
    }
  }
  return answers;
}
