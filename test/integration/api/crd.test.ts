import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { createNamespace, describeOnBed, sharedBed } from '../../cluster/bed.js';
import type { KubeRequest } from '../../cluster/client.js';
import { installCrds } from '../../cluster/install-crds.js';
import { agentRunCrd, hermesAgentCrd } from '../../../lib/api/crd.js';

/** `kubectl apply` and Argo CD keep a copy in an annotation, and annotations end at 256 KiB. */
const LIMIT = 200_000;

describeOnBed('the CRDs', () => {
  const { client } = sharedBed();

  it.each([hermesAgentCrd(), agentRunCrd()])(
    '$metadata.name is accepted without a warning and served without a remark',
    async (definition) => {
      const answer = await client.apply(definition, { force: true });
      expect(answer.warnings).toEqual([]);
      await installCrds(client);
      const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.metadata.name}`;
      const crd = await client.get(path);
      const conditions = crd['status'].conditions.map((c: { type: string; status: string }) => `${c.type}=${c.status}`);
      expect(conditions.sort()).toEqual(['Established=True', 'NamesAccepted=True']);
    },
  );

  it.each([hermesAgentCrd(), agentRunCrd()])('$metadata.name is small enough for client-side apply', (definition) => {
    expect(Buffer.byteLength(stringify(definition))).toBeLessThan(LIMIT);
  });

  it('give a new agent a status that no engine takes for current', async () => {
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

  it('give a new run such a status too, and never let its spec change', async () => {
    await installCrds(client);
    const namespace = await createNamespace(client, 'crd');
    const runs = `/apis/hermes-gitops.dev/v1alpha1/namespaces/${namespace}/agentruns`;
    const created = await client.create(runs, run('sum-1', { agentRef: { name: 'mia' }, instructions: 'sum it up' }));
    expect(created['status']).toEqual({ observedGeneration: -1 });
    expect(created['spec']).toEqual({ agentRef: { name: 'mia' }, instructions: 'sum it up', workload: 'Job' });

    const changed = await client.request(merge(`${runs}/sum-1`, { spec: { instructions: 'sum it up again' } }));
    expect(changed.statusCode).toBe(422);
    expect(changed.body.message).toContain('a run is final: use a new name for a new run');
    const labelled = await client.request(
      merge(`${runs}/sum-1`, { metadata: { labels: { team: 'x' } }, spec: { workload: 'Job' } }),
    );
    expect(labelled.body.metadata.labels).toEqual({ team: 'x' });
  });

  it('keep any JSON object as the data of a run that has ended', async () => {
    await installCrds(client);
    const namespace = await createNamespace(client, 'crd');
    const runs = `/apis/hermes-gitops.dev/v1alpha1/namespaces/${namespace}/agentruns`;
    await client.create(runs, run('sum-1', { image: 'registry.example.net/hermes:v1', args: ['doctor'] }));
    const terminationData = { tokens: 1200, files: ['a.md'], nested: { deep: true } };
    const stored = await client.request(
      merge(`${runs}/sum-1/status`, { status: { phase: 'Succeeded', exitCode: 0, terminationData } }),
    );
    expect(stored.body.status).toEqual({ observedGeneration: -1, phase: 'Succeeded', exitCode: 0, terminationData });
  });

  it.each([
    ['hermesagents', ['Phase 0', 'Ready 0', 'Image 0', 'Pod 1', 'Restarts 1', 'Gateways 1', 'Message 1', 'Age 0']],
    ['agentruns', ['Agent 0', 'Phase 0', 'Reason 0', 'Duration 1', 'Pod 1', 'Age 0']],
  ])('answer kubectl get %s with the columns that matter', async (plural, want) => {
    await installCrds(client);
    const { body } = await client.request({
      method: 'GET',
      path: `/apis/hermes-gitops.dev/v1alpha1/${plural}`,
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
    });
    const columns = body.columnDefinitions.map((c: { name: string; priority: number }) => `${c.name} ${c.priority}`);
    expect(columns).toEqual(['Name 0', ...want]);
  });
});

function run(name: string, spec: object): object {
  return { apiVersion: 'hermes-gitops.dev/v1alpha1', kind: 'AgentRun', metadata: { name }, spec };
}

function merge(path: string, body: object): KubeRequest {
  return { method: 'PATCH', path, body, contentType: 'application/merge-patch+json' };
}
