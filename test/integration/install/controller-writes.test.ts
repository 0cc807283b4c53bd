import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONTROLLER_RULES, type PolicyRule } from '../../../charts/install/cluster-role.js';
import { renderAgent } from '../../../lib/children/render-agent.js';
import { createNamespace, describeOnBed, serviceAccountToken, sharedBed } from '../../cluster/bed.js';
import { type KubeClient, type KubeManifest, pathOf } from '../../cluster/client.js';
import { installCrds } from '../../cluster/install-crds.js';
import { installSandboxCrd, removeSandboxCrd } from '../../cluster/sandbox-crd.js';
import { waitFor } from '../../cluster/wait.js';
import { applyInstallSet, removeInstallSet } from '../../support/install-set.js';
import { resolvedAgent } from '../../support/resolved-agent.js';
import { runWithJob, runWithSandbox } from '../../support/runs-on-bed.js';

const SYSTEM = 'hermes-gitops-system';
const AGENTS = '/apis/hermes-gitops.dev/v1alpha1';
const LEASES = `/apis/coordination.k8s.io/v1/namespaces/${SYSTEM}/leases`;
const MERGE = 'application/merge-patch+json';

const DELETABLE = ['Deployment', 'Service', 'ServiceAccount', 'PersistentVolumeClaim', 'Role', 'RoleBinding'];

describeOnBed('the account of the controller', () => {
  const { client } = sharedBed();
  let namespace: string;
  let controller: KubeClient;

  beforeAll(async () => {
    await applyInstallSet(client);
    await installCrds(client);
    namespace = await createNamespace(client, 'controller');
    controller = client.as(await serviceAccountToken(client, SYSTEM, 'gitops-controller'));
    const probe = await foreign('Service', 'probe');
    await waitFor(
      async () => {
        const answer = await controller.request({ method: 'DELETE', path: probe, query: { dryRun: 'All' } });
        return String(answer.body.message).includes('ValidatingAdmissionPolicy');
      },
      { what: 'the policy to be in force' },
    );
  });
  afterAll(() => removeInstallSet(client));

  /** A rendered object of that kind under another name, its labels as given. */
  async function foreign(kind: string, name: string, labels?: Readonly<Record<string, string>>): Promise<string> {
    const rendered = renderAgent(resolvedAgent({}, { namespace })).find((object) => object.kind === kind);
    const object = { ...rendered, metadata: { name, namespace, ...(labels && { labels }) } } as unknown as KubeManifest;
    await client.apply(object);
    return pathOf(object);
  }

  it.each(DELETABLE)('may not delete a %s that is not of an agent', async (kind) => {
    const path = await foreign(kind, `plain-${kind.toLowerCase()}`);
    const answer = await controller.request({ method: 'DELETE', path });
    expect(answer.statusCode).toBe(403);
    expect(answer.body.message).toContain('may change and delete only what carries the label');
    expect((await client.get(path)).metadata.deletionTimestamp).toBeUndefined();
  });

  it('may not delete one that another tool manages', async () => {
    const path = await foreign('Deployment', 'helmed', { 'app.kubernetes.io/managed-by': 'Helm' });
    expect((await controller.request({ method: 'DELETE', path })).statusCode).toBe(403);
  });

  it.each(DELETABLE)('may delete a rendered %s', async (kind) => {
    const path = await foreign(kind, `ours-${kind.toLowerCase()}`, { 'app.kubernetes.io/managed-by': 'hermes-gitops' });
    expect((await controller.request({ method: 'DELETE', path })).statusCode).toBe(200);
  });

  it('writes the status and the finalizer of an agent that has no label', async () => {
    const path = `${AGENTS}/namespaces/${namespace}/hermesagents`;
    const spec = { image: 'registry.example.net/hermes:v1', storage: { existingClaimName: 'home' } };
    await client.create(path, {
      apiVersion: 'hermes-gitops.dev/v1alpha1',
      kind: 'HermesAgent',
      metadata: { name: 'a' },
      spec,
    });
    const held = await controller.mergePatch(`${path}/a`, {
      metadata: { finalizers: ['hermes-gitops.dev/finalizer'] },
    });
    expect(held.metadata.finalizers).toEqual(['hermes-gitops.dev/finalizer']);
    const told = await controller.mergePatch(`${path}/a/status`, { status: { phase: 'Provisioning' } });
    expect(told['status'].phase).toBe('Provisioning');
    await controller.mergePatch(`${path}/a`, { metadata: { finalizers: [] } });
  });

  it('keeps its own Lease and no other', async () => {
    const lease = (name: string): object => ({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name },
      spec: { holderIdentity: 'a' },
    });
    // Suites before this one on the same bed may have left theirs.
    for (const name of ['hermes-gitops-controller', 'other']) await client.delete(`${LEASES}/${name}`);
    const own = await controller.create(LEASES, lease('hermes-gitops-controller'));
    const renewed = await controller.replace(`${LEASES}/hermes-gitops-controller`, {
      ...own,
      spec: { holderIdentity: 'b' },
    });
    expect(renewed['spec'].holderIdentity).toBe('b');
    await client.create(LEASES, lease('other'));
    const answer = await controller.request({ method: 'PUT', path: `${LEASES}/other`, body: lease('other') });
    expect(answer.statusCode).toBe(403);
  });

  it.each([
    ['create a Deployment', 'POST', 'apis/apps/v1', 'deployments'],
    ['create a pod', 'POST', 'api/v1', 'pods'],
    ['create a RoleBinding', 'POST', 'apis/rbac.authorization.k8s.io/v1', 'rolebindings'],
    ['list secrets', 'GET', 'api/v1', 'secrets'],
    ['create a Secret', 'POST', 'api/v1', 'secrets'],
    ['read the log of a pod', 'GET', 'api/v1', 'pods/any/log'],
  ] as const)('may not %s', async (_what, method, root, resource) => {
    const path = `/${root}/namespaces/${namespace}/${resource}`;
    const answer = await controller.request({ method, path, ...(method === 'POST' && { body: {} }) });
    expect(answer.statusCode).toBe(403);
  });

  it('may not change a Deployment, rendered ones included', async () => {
    const path = await foreign('Deployment', 'kept', { 'app.kubernetes.io/managed-by': 'hermes-gitops' });
    const body = { spec: { replicas: 0 } };
    const answer = await controller.request({ method: 'PATCH', path, contentType: MERGE, body });
    expect(answer.statusCode).toBe(403);
  });

  describe('of a workload of a run', () => {
    const labels = { 'app.kubernetes.io/managed-by': 'hermes-gitops' };
    const JOB = { apiVersion: 'batch/v1', kind: 'Job' } as const;
    const SANDBOX = { apiVersion: 'agents.x-k8s.io/v1beta1', kind: 'Sandbox' } as const;

    beforeAll(() => installSandboxCrd(client));
    afterAll(() => removeSandboxCrd(client));

    async function workload(kind: 'Job' | 'Sandbox', name: string, marks: object = labels): Promise<string> {
      const [, job] = runWithJob(name, namespace);
      const [, sandbox] = runWithSandbox(name, namespace);
      const object = { ...(kind === 'Job' ? job : sandbox), metadata: { name, namespace, labels: marks } };
      await client.apply(object as KubeManifest);
      return pathOf({ ...(kind === 'Job' ? JOB : SANDBOX), metadata: { name, namespace } });
    }

    const patch = async (path: string, body: object): Promise<number> =>
      (await controller.request({ method: 'PATCH', path, contentType: MERGE, body })).statusCode;

    const STOP = { Job: { suspend: true }, Sandbox: { operatingMode: 'Suspended' } } as const;

    it.each(['Job', 'Sandbox'] as const)('may stop a rendered %s and delete it', async (kind) => {
      const path = await workload(kind, `stop-${kind.toLowerCase()}`);
      expect(await patch(path, { spec: STOP[kind] })).toBe(200);
      expect((await controller.request({ method: 'DELETE', path })).statusCode).toBe(200);
    });

    it.each(['Job', 'Sandbox'] as const)('may neither stop nor delete another %s', async (kind) => {
      // Without any label a Job would take over those of its pods.
      const path = await workload(kind, `other-${kind.toLowerCase()}`, { 'app.kubernetes.io/managed-by': 'Helm' });
      expect(await patch(path, { spec: STOP[kind] })).toBe(403);
      expect((await controller.request({ method: 'DELETE', path })).statusCode).toBe(403);
    });

    it.each([
      ['another image', 'Sandbox', { spec: { ...STOP.Sandbox, podTemplate: { spec: { containers: [] } } } }],
      ['another deadline', 'Job', { spec: { ...STOP.Job, activeDeadlineSeconds: 9 } }],
      ['a finalizer', 'Job', { spec: STOP.Job, metadata: { finalizers: ['example.org/mine'] } }],
      ['labels', 'Job', { spec: STOP.Job, metadata: { labels: { a: 'b' } } }],
      ['nothing but a label', 'Job', { metadata: { labels: { a: 'b' } } }],
    ] as const)('may not give one %s', async (what, kind, body) => {
      const path = await workload(kind, `more-${what.replaceAll(' ', '-')}`);
      expect(await patch(path, body)).toBe(403);
    });

    it.each([
      ['Job', { suspend: false }],
      ['Sandbox', { operatingMode: 'Running' }],
    ] as const)('may not set a stopped %s going again', async (kind, spec) => {
      const path = await workload(kind, `again-${kind.toLowerCase()}`);
      await client.mergePatch(path, { spec: STOP[kind] });
      expect(await patch(path, { spec })).toBe(403);
    });
  });

  it('has no rule that makes or changes a workload, reads all Secrets or lends rights', () => {
    const grants = CONTROLLER_RULES.flatMap(({ apiGroups, resources, verbs }: PolicyRule) =>
      resources.flatMap((resource) => verbs.map((verb) => `${verb} ${apiGroups.join()}/${resource}`)),
    );
    const writing = grants.filter((grant) => /^(create|update|patch|bind|escalate|impersonate|\*) /.test(grant));
    expect(writing).toEqual([
      'patch hermes-gitops.dev/hermesagents',
      'patch hermes-gitops.dev/hermesagents/status',
      'patch hermes-gitops.dev/agentruns',
      'patch hermes-gitops.dev/agentruns/status',
      'patch batch/jobs',
      'patch agents.x-k8s.io/sandboxes',
      'create events.k8s.io/events',
      'create authentication.k8s.io/tokenreviews',
      'create authorization.k8s.io/subjectaccessreviews',
    ]);
    expect(grants.filter((grant) => grant.endsWith('/secrets'))).toEqual(['get /secrets']);
    expect(grants.filter((grant) => grant.includes('*'))).toEqual([]);
  });
});
