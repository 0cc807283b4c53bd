import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOnBed } from '../../cluster/bed.js';
import { startCluster, type Cluster } from '../../cluster/cluster.js';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

describeOnBed('a bed that tests break', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ apiServerOnly: true });
  });
  afterAll(async () => {
    await cluster.stop();
  });

  const configMap = (value: string): object => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'kept' },
    data: { value },
  });

  it('keeps its objects over a killed API server', async () => {
    const { client } = cluster;
    await client.create(CONFIG_MAPS, configMap('a'));
    const before = cluster.pidOf('kube-apiserver');
    await cluster.kill('kube-apiserver');
    expect(cluster.pidOf('kube-apiserver')).toBeUndefined();
    await expect(client.get(CONFIG_MAPS)).rejects.toThrow();
    await cluster.restart('kube-apiserver');
    expect(cluster.pidOf('kube-apiserver')).not.toBe(before);
    expect((await client.get(`${CONFIG_MAPS}/kept`))['data']).toEqual({ value: 'a' });
  });

  it('answers 410 to a watch from a revision that was compacted away', async () => {
    const { client } = cluster;
    const old = (await client.get(CONFIG_MAPS)).metadata.resourceVersion ?? '';
    for (const value of ['b', 'c']) await client.mergePatch(`${CONFIG_MAPS}/kept`, { data: { value } });
    await cluster.kill('kube-apiserver');
    await cluster.compactEtcd();
    await cluster.restart('kube-apiserver');
    const answer = await client.request({
      method: 'GET',
      path: CONFIG_MAPS,
      query: { watch: 'true', resourceVersion: old, timeoutSeconds: '2' },
    });
    const code =
      answer.statusCode === 200 ? (answer.body as { object?: { code?: number } }).object?.code : answer.statusCode;
    expect(code).toBe(410);
  });
});
