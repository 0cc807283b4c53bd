import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { applyYaml } from '../../cluster/apply-yaml.js';
import { createNamespace, describeOnBed, provisionVolume, serviceAccountToken, sharedBed } from '../../cluster/bed.js';
import { waitFor } from '../../cluster/wait.js';

describeOnBed('the client of the tests', () => {
  const { client } = sharedBed();
  let namespace = '';
  let folder = '';

  beforeAll(async () => {
    namespace = await createNamespace(client, 'client');
    folder = await mkdtemp(join(tmpdir(), 'hermes-gitops-client-'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true });
  });

  const configMap = (name: string, data: object): string =>
    JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data });
  const pathOfMap = (name: string): string => `/api/v1/namespaces/${namespace}/configmaps/${name}`;

  it('applies every document of a file, empty ones aside', async () => {
    const file = join(folder, 'two.yaml');
    await writeFile(file, `---\n${configMap('one', { a: '1' })}\n---\n---\n${configMap('two', { a: '2' })}\n`);
    const answers = await applyYaml(client, [file]);
    expect(answers.map(({ body, warnings }) => [body.metadata.name, warnings])).toEqual([
      ['one', []],
      ['two', []],
    ]);
    expect((await client.get(pathOfMap('two')))['data']).toEqual({ a: '2' });
  });

  it('does all of a JSON patch or nothing', async () => {
    await client.create(`/api/v1/namespaces/${namespace}/configmaps`, JSON.parse(configMap('patched', { a: '1' })));
    const replace = { op: 'replace', path: '/data/a', value: '2' };
    await expect(
      client.jsonPatch(pathOfMap('patched'), [{ op: 'test', path: '/data/a', value: 'other' }, replace]),
    ).rejects.toMatchObject({ statusCode: 422 });
    expect((await client.get(pathOfMap('patched')))['data']).toEqual({ a: '1' });
    expect((await client.jsonPatch(pathOfMap('patched'), [replace]))['data']).toEqual({ a: '2' });
  });

  it('is refused an unknown field, and stores nothing on a dry run', async () => {
    const manifest = JSON.parse(configMap('dry', { a: '1' }));
    await expect(client.apply({ ...manifest, dta: {} })).rejects.toThrow(/field not declared in schema/);
    await client.apply(manifest, { dryRun: true });
    expect(await client.find(pathOfMap('dry'))).toBeUndefined();
  });

  it('acts as a ServiceAccount, with no more than its rights', async () => {
    await waitFor(() => client.find(`/api/v1/namespaces/${namespace}/serviceaccounts/default`));
    const account = client.as(await serviceAccountToken(client, namespace, 'default'));
    const review = await account.create('/apis/authentication.k8s.io/v1/selfsubjectreviews', {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'SelfSubjectReview',
    });
    expect(review['status'].userInfo.username).toBe(`system:serviceaccount:${namespace}:default`);
    await expect(account.get(pathOfMap('one'))).rejects.toMatchObject({ statusCode: 403 });
    account.close();
  });

  it('binds a claim', async () => {
    const path = `/api/v1/namespaces/${namespace}/persistentvolumeclaims`;
    const claim = await client.create(path, {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'home' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    });
    await provisionVolume(client, claim);
    const bound = await waitFor(async () => {
      const found = await client.get(`${path}/home`);
      return found['status'].phase === 'Bound' && found;
    });
    expect(bound['spec'].volumeName).toBe(`pv-${claim.metadata.uid ?? ''}`);
  });
});
