import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CONTROLLER_RULES, type PolicyRule } from '../../../charts/install/cluster-role.js';
import { createNamespace, describeOnBed, serviceAccountToken, sharedBed } from '../../cluster/bed.js';
import type { KubeManifest } from '../../cluster/client.js';
import { installCrds } from '../../cluster/install-crds.js';
import { eventually, waitFor } from '../../cluster/wait.js';
import { AgentsOnBed, bareAgent, conditionOf, describeObject, renderedAgent } from '../../support/agents-on-bed.js';
import { buildController, startController, type ControllerProcess } from '../../support/controller-process.js';

const BINDINGS = ['rolebindings', 'clusterrolebindings'];
const ROLE_REF = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };

/** The rules of the install set without the right to delete bindings. */
function withoutBindings(): readonly PolicyRule[] {
  return CONTROLLER_RULES.flatMap((rule) => {
    const bindings = rule.resources.filter((resource) => BINDINGS.includes(resource));
    if (bindings.length === 0) return [rule];
    const others = rule.resources.filter((resource) => !BINDINGS.includes(resource));
    return [
      { ...rule, resources: others },
      { ...rule, resources: bindings, verbs: ['list', 'watch'] },
    ];
  });
}

describeOnBed('a controller that may not delete bindings', () => {
  const { client, server, ca } = sharedBed();
  const folder = mkdtempSync(join(tmpdir(), 'hermes-permission-'));
  let agents: AgentsOnBed;
  let bundle: Awaited<ReturnType<typeof buildController>>;
  let controller: ControllerProcess;
  let role: KubeManifest;

  beforeAll(async () => {
    await installCrds(client);
    const namespace = await createNamespace(client, 'permission');
    agents = new AgentsOnBed(client, namespace);
    const rbac = 'rbac.authorization.k8s.io/v1';
    role = { apiVersion: rbac, kind: 'ClusterRole', metadata: { name: namespace }, rules: withoutBindings() };
    await agents.apply([
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'controller', namespace } },
      role,
      {
        apiVersion: rbac,
        kind: 'ClusterRoleBinding',
        metadata: { name: namespace },
        roleRef: { ...ROLE_REF, name: namespace },
        subjects: [{ kind: 'ServiceAccount', name: 'controller', namespace }],
      },
    ]);
    const path = join(folder, 'kubeconfig');
    const content = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        { name: 'bed', cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') } },
      ],
      users: [{ name: 'me', user: { token: await serviceAccountToken(client, namespace, 'controller') } }],
      contexts: [{ name: 'bed', context: { cluster: 'bed', user: 'me' } }],
      'current-context': 'bed',
    };
    writeFileSync(path, JSON.stringify(content));
    bundle = await buildController();
    controller = await startController(bundle.path, [
      `--kubeconfig=${path}`,
      '--metrics-secure=false',
      '--allowed-cluster-roles=view',
    ]);
  });
  afterAll(async () => {
    await controller.end('SIGKILL');
    bundle.remove();
    rmSync(folder, { recursive: true });
    for (const kind of ['clusterroles', 'clusterrolebindings'])
      await client.delete(`/apis/rbac.authorization.k8s.io/v1/${kind}/${agents.namespace}`);
  });

  it('says so, holds that agent alone, and goes on by itself once it may', async () => {
    const { namespace } = agents;
    const gates = { allowedClusterRoles: ['view'], allowedBindingNamespaces: [] };
    const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const storage = { persistentVolumeClaim: claim, retainPolicy: 'Delete' };
    const spec = { suspend: true, storage, rbac: { clusterRoleBindings: [{ roleRef: ROLE_REF }] } };
    const objects = renderedAgent('bound', namespace, spec, gates);
    const bindings = objects.filter(({ kind }) => kind.endsWith('Binding'));
    await agents.apply(objects);
    await agents.reach('bound', 'Suspended');
    await client.delete(agents.path('bound'));

    const status = await waitFor(
      async () => {
        const seen = await agents.status('bound');
        return conditionOf(seen, 'Stalled')?.reason === 'DeleteBlocked' && seen;
      },
      { what: 'a blocked deletion' },
    );
    const stalled = conditionOf(status, 'Stalled');
    expect(stalled).toMatchObject({ status: 'True' });
    for (const binding of bindings) expect(stalled?.message).toContain(describeObject(binding));
    expect(stalled?.message).toContain('cannot delete resource "clusterrolebindings"');
    expect(conditionOf(status, 'Ready')).toMatchObject({ status: 'False', reason: 'DeleteBlocked' });
    expect(conditionOf(status, 'Reconciling')).toBeUndefined();
    await eventually(async () => {
      const events = await client.list(`/apis/events.k8s.io/v1/namespaces/${namespace}/events`);
      const reasons = events.filter(({ type }) => type === 'Warning').map(({ reason }) => reason as string);
      expect(reasons).toEqual(['DeleteBlocked']);
    });
    expect(await agents.left(objects.slice(1))).toEqual(bindings.map(describeObject));

    await client.create(agents.path(), bareAgent('free', namespace, { suspend: true }));
    await agents.reach('free', 'Suspended');
    await client.delete(agents.path('free'));
    await agents.gone('free');

    await client.apply({ ...role, rules: CONTROLLER_RULES }, { force: true });
    await agents.gone('bound');
    expect(await agents.left(objects)).toEqual([]);
  });
});
