import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { programFromAssets } from '../../cluster/assets.js';

describe('programFromAssets', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hermes-gitops-assets-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true });
  });

  async function assets(apiServerPrints: string): Promise<void> {
    for (const name of ['etcd', 'kube-apiserver', 'kubectl']) {
      await writeFile(join(folder, name), `#!/bin/sh\necho '${apiServerPrints}'\n`);
      await chmod(join(folder, name), 0o755);
    }
  }

  it.each([
    { why: 'the same version', prints: 'Kubernetes v1.37.2', program: 'kube-apiserver', isUsed: true },
    { why: 'another patch version', prints: 'Kubernetes v1.37.0', program: 'etcd', isUsed: true },
    { why: 'an older minor version', prints: 'Kubernetes v1.36.9', program: 'kube-apiserver', isUsed: false },
    { why: 'the etcd of an older set', prints: 'Kubernetes v1.36.9', program: 'etcd', isUsed: false },
    { why: 'a program that says nothing', prints: '', program: 'kube-apiserver', isUsed: false },
    { why: 'a program that the bed compiles', prints: 'Kubernetes v1.37.2', program: 'kubectl', isUsed: false },
  ])('$why: used is $isUsed', async ({ prints, program, isUsed }) => {
    await assets(prints);
    const found = await programFromAssets(program, { version: 'v1.37.2', folder });
    expect(found).toBe(isUsed ? join(folder, program) : undefined);
  });

  it.each([undefined, '', '/nonexistent'])('compiles when the folder is %s', async (missing) => {
    expect(await programFromAssets('etcd', { version: 'v1.37.2', folder: missing })).toBeUndefined();
  });
});
