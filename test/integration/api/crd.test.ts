import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { createNamespace, describeOnBed, sharedBed } from '../../cluster/bed.js';
import { installCrds } from '../../cluster/install-crds.js';
import { hermesAgentCrd } from '../../../lib/api/crd.js';

/** `kubectl apply` and Argo CD keep a copy in an annotation, and annotations end at 256 KiB. */
const LIMIT = 200_000;

describeOnBed('the HermesAgent CRD', () => {
  const { client } = sharedBed();

  it('is accepted without a warning and served without a remark', async () => {
    const answer = await client.apply(hermesAgentCrd(), { force: true });
    expect(answer.warnings).toEqual([]);
    await installCrds(client);
    const crd = await client.get(
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/hermesagents.hermes-gitops.dev',
    );
    const conditions = crd['status'].conditions.map((c: { type: string; status: string }) => `${c.type}=${c.status}`);
    expect(conditions.sort()).toEqual(['Established=True', 'NamesAccepted=True']);
  });

  it('is small enough for client-side apply', () => {
    expect(Buffer.byteLength(stringify(hermesAgentCrd()))).toBeLessThan(LIMIT);
  });

  it('gives a new object a status that no engine takes for current', async () => {
    await installCrds(client);
    const namespace = await createNamespace(client, 'crd');
    const created = await client.create(`/apis/hermes-gitops.dev/v1alpha1/namespaces/${namespace}/hermesagents`, {
      apiVersion: 'hermes-gitops.dev/v1alpha1',
      kind: 'HermesAgent',
      metadata: { name: 'new' },
      spec: { image: 'registry.example.net/hermes:v1', storage: { existingClaimName: 'home' } },
    });
    expect(created['status']).toEqual({ observedGeneration: -1 });
    expect(created['spec']).toEqual({
      image: 'registry.example.net/hermes:v1',
      imagePullPolicy: 'IfNotPresent',
      suspend: false,
      terminationGracePeriodSeconds: 210,
      execBackend: 'local',
      storage: { existingClaimName: 'home', retainPolicy: 'Retain' },
    });
  });

  it('answers kubectl with the columns that matter', async () => {
    await installCrds(client);
    const { body } = await client.request({
      method: 'GET',
      path: '/apis/hermes-gitops.dev/v1alpha1/hermesagents',
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    });
    const columns = body.columnDefinitions.map((c: { name: string; priority: number }) => `${c.name} ${c.priority}`);
    expect(columns).toEqual([
      'Name 0',
      'Phase 0',
      'Ready 0',
      'Image 0',
      'Pod 1',
      'Restarts 1',
      'Gateways 1',
      'Message 1',
      'Age 0',
    ]);
  });
});
