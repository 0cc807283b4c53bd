import { afterAll, beforeAll, expect, it } from 'vitest';
import { renderAgent } from '../../../lib/children/render-agent.js';
import { createNamespace, describeOnBed, serviceAccountToken, sharedBed } from '../../cluster/bed.js';
import type { KubeAnswer, KubeClient, KubeManifest } from '../../cluster/client.js';
import { waitFor } from '../../cluster/wait.js';
import { installCrds } from '../../cluster/install-crds.js';
import { applyInstallSet, removeInstallSet } from '../../support/install-set.js';
import { resolvedAgent } from '../../support/resolved-agent.js';

const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const JSON_PATCH = 'application/json-patch+json';
const APPLY = 'application/apply-patch+yaml';

interface Row {
  readonly what: string;
  readonly contentType: string;
  readonly patch: unknown;
}

const inTemplate = (spec: unknown): unknown => ({ spec: { template: { spec } } });
const annotated = (annotations: unknown): unknown => ({ spec: { template: { metadata: { annotations } } } });
const container = (fields: object): unknown => inTemplate({ containers: [{ name: 'hermes', ...fields }] });
const strategic = (what: string, patch: unknown): Row => ({ what, contentType: STRATEGIC, patch });

const REFUSED: readonly Row[] = [
  strategic('another image', container({ image: 'registry.example.net/evil:v1' })),
  strategic('another command', container({ command: ['sh'] })),
  strategic('a variable', container({ env: [{ name: 'X', value: '1' }] })),
  strategic('a variable from a Secret', container({ envFrom: [{ secretRef: { name: 'other' } }] })),
  strategic('a container', inTemplate({ containers: [{ name: 'evil', image: 'registry.example.net/evil:v1' }] })),
  strategic(
    'an init container',
    inTemplate({ initContainers: [{ name: 'evil', image: 'registry.example.net/evil:v1' }] }),
  ),
  strategic('the volume of a Secret', inTemplate({ volumes: [{ name: 'evil', secret: { secretName: 'other' } }] })),
  strategic('a path of the node', inTemplate({ volumes: [{ name: 'evil', hostPath: { path: '/' } }] })),
  strategic('another account', inTemplate({ serviceAccountName: 'default' })),
  strategic('the network of the node', inTemplate({ hostNetwork: true })),
  strategic('a security context', inTemplate({ securityContext: { runAsUser: 0 } })),
  strategic('replicas', { spec: { replicas: 0 } }),
  strategic('the strategy', { spec: { strategy: { type: 'RollingUpdate' } } }),
  strategic('a pause', { spec: { paused: true } }),
  strategic('a field that was not there', { spec: { minReadySeconds: 5 } }),
  strategic('a label', { metadata: { labels: { x: 'y' } } }),
  strategic('an annotation of the Deployment', { metadata: { annotations: { x: 'y' } } }),
  strategic('a finalizer', { metadata: { finalizers: ['example.org/stay'] } }),
  strategic('a label of the pod', { spec: { template: { metadata: { labels: { x: 'y' } } } } }),
  strategic('another annotation of the pod', annotated({ 'example.org/x': 'y' })),
  strategic('an annotation beside the restart', annotated({ 'kubectl.kubernetes.io/restartedAt': 'now', x: 'y' })),
  strategic('an annotation of ours', annotated({ 'kubectl.kubernetes.io/default-container': 'evil' })),
  {
    what: 'the label by which the policy knows it',
    contentType: MERGE,
    patch: { metadata: { labels: { 'hermes-gitops.dev/agent': null } } },
  },
  { what: 'annotations taken away', contentType: MERGE, patch: annotated(null) },
  {
    what: 'a container in place of another',
    contentType: JSON_PATCH,
    patch: [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'registry.example.net/evil:v1' }],
  },
  {
    what: 'a probe taken away',
    contentType: JSON_PATCH,
    patch: [{ op: 'remove', path: '/spec/template/spec/containers/0/livenessProbe' }],
  },
];

const restart = (time: string): unknown => annotated({ 'kubectl.kubernetes.io/restartedAt': time });

describeOnBed('the policy on restarts', () => {
  const { client } = sharedBed();
  let namespace: string;
  let self: KubeClient;

  const path = (name = 'mia'): string => `/apis/apps/v1/namespaces/${namespace}/deployments/hermes-${name}`;
  const send = (as: KubeClient, { contentType, patch }: Omit<Row, 'what'>, target = path()): Promise<KubeAnswer> =>
    as.request({
      method: 'PATCH',
      path: target,
      contentType,
      body: patch,
      ...(contentType === APPLY && { query: { fieldManager: 'self', force: 'true' } }),
    });
  const apply = async (objects: readonly KubeManifest[]): Promise<void> => {
    for (const object of objects) await client.apply(object);
  };

  beforeAll(async () => {
    await applyInstallSet(client);
    await installCrds(client);
    namespace = await createNamespace(client, 'restart');
    const mia = resolvedAgent({}, { namespace });
    await apply(renderAgent(mia) as unknown as KubeManifest[]);
    self = client.as(await serviceAccountToken(client, namespace, 'hermes-mia'));
    await waitFor(
      async () => {
        const { body } = await send(self, { contentType: MERGE, patch: { spec: { replicas: 0 } } });
        return String(body.message).includes('ValidatingAdmissionPolicy');
      },
      {
        what: 'the policy to be in force',
      },
    );
    await client.mergePatch(path(), { spec: { replicas: 1 } });
  });
  afterAll(() => removeInstallSet(client));

  it.each([
    { what: 'by a merge patch', contentType: MERGE, patch: restart('2026-01-01T00:00:00Z') },
    { what: 'as kubectl does it', contentType: STRATEGIC, patch: restart('2026-01-02T00:00:00Z') },
    {
      what: 'by server-side apply',
      contentType: APPLY,
      patch: {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'hermes-mia' },
        ...(restart('2026-01-03T00:00:00Z') as object),
      },
    },
  ])('lets an agent restart itself $what', async (row) => {
    const { generation: before = 0 } = (await client.get(path())).metadata;
    expect(await send(self, row)).toMatchObject({ statusCode: 200, warnings: [] });
    expect((await client.get(path())).metadata.generation).toBe(before + 1);
  });

  it.each(REFUSED)('refuses $what', async (row) => {
    const before = await client.get(path());
    const answer = await send(self, row);
    expect(answer.statusCode).toBe(403);
    expect(answer.body.message).toMatch(/^deployments\.apps "hermes-mia" is forbidden: ValidatingAdmissionPolicy/);
    const { spec, metadata } = await client.get(path());
    expect({ spec, generation: metadata.generation, labels: metadata.labels }).toEqual({
      spec: before['spec'],
      generation: before.metadata.generation,
      labels: before.metadata.labels,
    });
  });

  it('refuses to scale and to delete, should a role allow it', async () => {
    await apply([
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: { name: 'wide', namespace },
        rules: [{ apiGroups: ['apps'], resources: ['*'], verbs: ['*'] }],
      },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: 'wide', namespace },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'wide' },
        subjects: [{ kind: 'ServiceAccount', name: 'hermes-mia', namespace }],
      },
    ]);
    const scaled = await waitFor(async () => {
      const answer = await send(self, { contentType: MERGE, patch: { spec: { replicas: 0 } } }, `${path()}/scale`);
      return String(answer.body.message).includes('ValidatingAdmissionPolicy') && answer;
    });
    expect(scaled.statusCode).toBe(403);
    const deleted = await self.request({ method: 'DELETE', path: path() });
    expect(deleted.body.message).toContain('an agent may restart its Deployment, and neither scale nor delete it');
  });

  it('knows an account that the agent brings along', async () => {
    const own = resolvedAgent({ serviceAccountName: 'brought' }, { name: 'own', namespace });
    await apply(renderAgent(own) as unknown as KubeManifest[]);
    await apply([
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'brought', namespace } },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: { name: 'brought', namespace },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'edit' },
        subjects: [{ kind: 'ServiceAccount', name: 'brought', namespace }],
      },
    ]);
    const brought = client.as(await serviceAccountToken(client, namespace, 'brought'));
    await waitFor(async () => {
      const row = { contentType: STRATEGIC, patch: restart('2026-01-01T00:00:00Z') };
      return (await send(brought, row, path('own'))).statusCode === 200;
    });
    const refused = await send(brought, { contentType: STRATEGIC, patch: container({ image: 'x:v1' }) }, path('own'));
    expect(refused.body.message).toContain('an agent may set kubectl.kubernetes.io/restartedAt');
  });

  it('leaves the Deployment to everybody else', async () => {
    const changed = await client.mergePatch(path(), { spec: { replicas: 0 } });
    expect(changed['spec'].replicas).toBe(0);
  });

  it('leaves a Deployment that is no agent to its own account', async () => {
    const labels = { app: 'brought' };
    await apply([
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'brought', namespace },
        spec: {
          replicas: 0,
          selector: { matchLabels: labels },
          template: {
            metadata: { labels },
            spec: { serviceAccountName: 'brought', containers: [{ name: 'a', image: 'registry.example.net/a:v1' }] },
          },
        },
      },
    ]);
    const brought = client.as(await serviceAccountToken(client, namespace, 'brought'));
    const target = `/apis/apps/v1/namespaces/${namespace}/deployments/brought`;
    const answer = await send(brought, { contentType: MERGE, patch: { spec: { minReadySeconds: 3 } } }, target);
    expect(answer).toMatchObject({ statusCode: 200, body: { spec: { minReadySeconds: 3 } } });
  });
});
