import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { pathOf, type KubeClient, type KubeManifest } from '../cluster/client.js';
import { BED_ANNOTATIONS } from '../cluster/failure-stages.js';

/** Every object of the YAML files below a folder, kustomizations aside. */
export async function readManifests(folder: string): Promise<KubeManifest[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name) && entry.name !== 'kustomization.yaml')
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  return texts.flatMap((text) => documentsOf(text));
}

function documentsOf(text: string): KubeManifest[] {
  return parseAllDocuments(text)
    .map((document) => document.toJS() as KubeManifest | null)
    .filter((manifest) => manifest !== null);
}

/** Applies objects with server-side apply, namespaces first, and says how many of which kind. */
export async function applyAll(client: KubeClient, manifests: readonly KubeManifest[]): Promise<string> {
  const counts = new Map<string, number>();
  const rank = (manifest: KubeManifest): number =>
    ['Namespace', 'CustomResourceDefinition'].includes(manifest.kind) ? 0 : 1;
  for (const manifest of [...manifests].sort((a, b) => rank(a) - rank(b))) {
    await applyOne(client, await asKubeletWouldStart(client, manifest));
    counts.set(manifest.kind, (counts.get(manifest.kind) ?? 0) + 1);
  }
  return [...counts].map(([kind, count]) => `${count} ${kind}`).join(', ');
}

/** A CRD is served a moment after it was accepted. */
async function applyOne(client: KubeClient, manifest: KubeManifest): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    try {
      await client.apply(manifest, { fieldManager: 'gitops-engine', force: true });
      return;
    } catch (error) {
      if (attempt >= 50 || !String(error).includes('404')) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

interface EnvVariable {
  readonly valueFrom?: { readonly secretKeyRef?: { readonly name: string; readonly optional?: boolean } };
}

/**
 * A real kubelet does not start a container whose Secret is missing; KWOK plays the kubelet here and does not look. So a
 * Deployment with such a container is marked for KWOK.
 */
async function asKubeletWouldStart(client: KubeClient, manifest: KubeManifest): Promise<KubeManifest> {
  if (manifest.kind !== 'Deployment') return manifest;
  const { template } = manifest['spec'] as { template: KubeManifest };
  const containers = (template['spec'] as { containers: { env?: EnvVariable[] }[] }).containers;
  const secrets = containers
    .flatMap((container) => container.env ?? [])
    .flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? [])
    .filter((reference) => reference.optional !== true)
    .map((reference) => reference.name);
  for (const name of new Set(secrets)) {
    if (await client.find(`/api/v1/namespaces/${manifest.metadata.namespace ?? ''}/secrets/${name}`)) continue;
    const annotations = { ...template.metadata.annotations, [BED_ANNOTATIONS.state]: 'config-error' };
    const marked = { ...template, metadata: { ...template.metadata, annotations } };
    return { ...manifest, spec: { ...(manifest['spec'] as object), template: marked } };
  }
  return manifest;
}

/** Deletes every object of a rendered file, the agent itself first. */
export async function removeAgent(client: KubeClient, file: string): Promise<void> {
  for (const manifest of documentsOf(await readFile(file, 'utf8'))) {
    await client.delete(pathOf(manifest));
  }
}
