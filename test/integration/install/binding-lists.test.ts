import { afterAll, beforeAll, expect, it } from 'vitest';
import type { InstallOptions } from '../../../charts/install/options.js';
import { renderSelfRoleBinding } from '../../../lib/children/self-role-binding.js';
import { renderRoleBindings } from '../../../lib/children/role-bindings.js';
import { createNamespace, describeOnBed, sharedBed } from '../../cluster/bed.js';
import { applyRequest, type KubeAnswer, type KubeManifest } from '../../cluster/client.js';
import { waitFor } from '../../cluster/wait.js';
import { applyInstallSet, installObjects, removeInstallSet } from '../../support/install-set.js';
import { resolvedAgent } from '../../support/resolved-agent.js';

interface Subject {
  readonly kind: 'ServiceAccount' | 'User' | 'Group';
  readonly name: string;
  readonly namespace?: string;
}

/** Where a binding is made: in the agent's namespace, in a listed one, in another one, or for the whole cluster. */
type Place = 'own' | 'listed' | 'elsewhere' | 'cluster';

type Role = `Role/${string}` | `ClusterRole/${string}`;

interface Row {
  readonly subject: string;
  readonly role: Role;
  readonly place: Place;
  readonly want: 'accepted' | 'namespace' | 'role';
}

const BINDINGS = 'rbac.authorization.k8s.io';

/** Subjects by a short name; `OWN` stands for the agent's namespace. */
const SUBJECTS: Readonly<Record<string, Subject>> = {
  agent: { kind: 'ServiceAccount', name: 'hermes-mia', namespace: 'OWN' },
  'agent as a user': { kind: 'User', name: 'system:serviceaccount:OWN:hermes-mia' },
  'accounts of its namespace': { kind: 'Group', name: 'system:serviceaccounts:OWN' },
  'all accounts': { kind: 'Group', name: 'system:serviceaccounts' },
  everyone: { kind: 'Group', name: 'system:authenticated' },
  'another account': { kind: 'ServiceAccount', name: 'builder', namespace: 'OWN' },
  'another user': { kind: 'User', name: 'jane' },
  'another user with a name alike': { kind: 'User', name: 'hermes-jane' },
  'another group': { kind: 'Group', name: 'hermes-admins' },
};

const row = (subject: string, role: Role, place: Place, want: Row['want']): Row => ({ subject, role, place, want });

const ROWS: readonly Row[] = [
  row('agent', 'Role/any', 'own', 'accepted'),
  row('agent', 'Role/any', 'listed', 'accepted'),
  row('agent', 'Role/any', 'elsewhere', 'namespace'),
  row('agent', 'ClusterRole/view', 'own', 'accepted'),
  row('agent', 'ClusterRole/edit', 'listed', 'accepted'),
  row('agent', 'ClusterRole/view', 'elsewhere', 'namespace'),
  row('agent', 'ClusterRole/admin', 'own', 'role'),
  row('agent', 'ClusterRole/View', 'own', 'role'),
  row('agent', 'ClusterRole/cluster-admin', 'listed', 'role'),
  row('agent', 'ClusterRole/node-reader', 'own', 'accepted'),
  row('agent', 'ClusterRole/node-reader', 'cluster', 'accepted'),
  row('agent', 'ClusterRole/lister', 'cluster', 'accepted'),
  row('agent', 'ClusterRole/view', 'cluster', 'role'),
  row('agent', 'ClusterRole/cluster-admin', 'cluster', 'role'),
  row('agent', 'ClusterRole/node', 'cluster', 'role'),
  row('agent as a user', 'ClusterRole/cluster-admin', 'cluster', 'role'),
  row('agent as a user', 'Role/any', 'own', 'accepted'),
  row('agent as a user', 'Role/any', 'elsewhere', 'namespace'),
  row('accounts of its namespace', 'ClusterRole/cluster-admin', 'own', 'role'),
  row('accounts of its namespace', 'ClusterRole/view', 'own', 'accepted'),
  row('accounts of its namespace', 'Role/any', 'elsewhere', 'namespace'),
  row('all accounts', 'ClusterRole/cluster-admin', 'cluster', 'role'),
  row('all accounts', 'Role/any', 'own', 'namespace'),
  row('all accounts', 'ClusterRole/system:service-account-issuer-discovery', 'cluster', 'accepted'),
  row('everyone', 'ClusterRole/cluster-admin', 'cluster', 'role'),
  row('everyone', 'ClusterRole/system:discovery', 'cluster', 'accepted'),
  row('another account', 'ClusterRole/cluster-admin', 'own', 'accepted'),
  row('another account', 'ClusterRole/cluster-admin', 'cluster', 'accepted'),
  row('another account', 'Role/any', 'elsewhere', 'accepted'),
  row('another user', 'ClusterRole/cluster-admin', 'cluster', 'accepted'),
  row('another user with a name alike', 'ClusterRole/cluster-admin', 'cluster', 'accepted'),
  row('another group', 'ClusterRole/cluster-admin', 'elsewhere', 'accepted'),
];

const MESSAGES = {
  namespace: 'an agent may be bound in its own namespace and in those of allowedBindingNamespaces',
  role: 'an agent may be bound to the ClusterRoles of allowedClusterRoles',
} as const;

/** The policy as a changed setting renders it. */
function policyWith(options: InstallOptions): KubeManifest {
  const policy = installObjects(options).get('policies/binding-lists');
  if (policy === undefined) throw new Error('the install set has no policy on bindings');
  return policy;
}

describeOnBed('the policy on bindings', () => {
  const { client } = sharedBed();
  const places: Record<Exclude<Place, 'cluster'>, string> = { own: '', listed: '', elsewhere: '' };
  const written: string[] = [];

  function binding(place: Place, role: Role, subjects: readonly Subject[], name: string): KubeManifest {
    const [kind, ...rest] = role.split('/');
    const fill = (text: string): string => text.replace('OWN', places.own);
    return {
      apiVersion: `${BINDINGS}/v1`,
      kind: place === 'cluster' ? 'ClusterRoleBinding' : 'RoleBinding',
      metadata: place === 'cluster' ? { name } : { name, namespace: places[place] },
      roleRef: { apiGroup: BINDINGS, kind, name: rest.join('/') },
      subjects: subjects.map(({ kind: of, name: named, namespace }) => ({
        kind: of,
        name: fill(named),
        ...(namespace === undefined ? { apiGroup: BINDINGS } : { namespace: fill(namespace) }),
      })),
    };
  }

  async function write(object: KubeManifest): Promise<KubeAnswer> {
    const request = applyRequest(object, { force: true });
    if (object.kind === 'ClusterRoleBinding') written.push(request.path);
    return client.request(request);
  }

  const subjectsOf = (...names: readonly string[]): Subject[] =>
    names.map((name) => SUBJECTS[name] ?? { kind: 'User', name });

  beforeAll(async () => {
    for (const place of ['own', 'listed', 'elsewhere'] as const) places[place] = await createNamespace(client, place);
    await applyInstallSet(client, {
      allowedClusterRoles: ['node-reader', 'lister'],
      allowedBindingNamespaces: ['not-there', places.listed],
    });
    await waitFor(
      async () => {
        // Only tried: once it is there, it may stay as it is.
        const tried = binding('cluster', 'ClusterRole/view', subjectsOf('agent'), `probe-${places.own}`);
        return (await client.request(applyRequest(tried, { dryRun: true }))).statusCode === 403;
      },
      { what: 'the policy to be in force' },
    );
  });
  afterAll(async () => {
    for (const path of written) await client.delete(path);
    await removeInstallSet(client);
  });

  it.each(ROWS)('$subject to $role, $place: $want', async ({ subject, role, place, want }) => {
    const name = `row-${places.own}-${ROWS.findIndex((r) => r.subject === subject && r.role === role && r.place === place)}`;
    const { statusCode, body } = await write(binding(place, role, subjectsOf(subject), name));
    if (want === 'accepted') expect([statusCode, body.message]).toEqual([201, undefined]);
    else {
      expect(statusCode).toBe(403);
      expect(body.message).toContain(MESSAGES[want]);
    }
  });

  it('finds an agent among other subjects', async () => {
    const subjects = subjectsOf('jane', 'another account', 'agent');
    const answer = await write(binding('cluster', 'ClusterRole/admin', subjects, `among-${places.own}`));
    expect(answer.body.message).toContain(MESSAGES.role);
  });

  it('refuses to add an agent to a binding of others', async () => {
    const name = `added-${places.own}`;
    const others = await write(binding('cluster', 'ClusterRole/admin', subjectsOf('jane'), name));
    expect(others.statusCode).toBe(201);
    const added = await write(binding('cluster', 'ClusterRole/admin', subjectsOf('jane', 'agent'), name));
    expect(added.body.message).toContain(MESSAGES.role);
  });

  it('lets through what rendering writes for an agent', async () => {
    const roleRef = { apiGroup: BINDINGS, kind: 'ClusterRole', name: 'view' } as const;
    const agent = resolvedAgent(
      {
        rbac: {
          roleBindings: [
            { namespace: places.own, roleRef },
            { namespace: places.listed, roleRef },
          ],
        },
      },
      { namespace: places.own },
    );
    const objects = [renderSelfRoleBinding(agent), ...renderRoleBindings(agent)] as unknown as KubeManifest[];
    const codes: number[] = [];
    for (const object of objects) codes.push((await write(object)).statusCode);
    expect(codes).toEqual([201, 201, 201]);
  });

  it('lets a binding be edited whose subjects stay, though the lists have shrunk since', async () => {
    const name = `shrunk-${places.own}`;
    const object = binding('cluster', 'ClusterRole/lister', subjectsOf('agent'), name);
    expect((await write(object)).statusCode).toBe(201);
    await client.apply(policyWith({ allowedClusterRoles: ['node-reader'] }), { fieldManager: 'install', force: true });
    await waitFor(
      async () => {
        const tried = binding('cluster', 'ClusterRole/lister', subjectsOf('agent'), `late-${places.own}`);
        return (await client.request(applyRequest(tried, { dryRun: true }))).statusCode === 403;
      },
      { what: 'the shorter list to be in force' },
    );
    const labelled = { ...object, metadata: { ...object.metadata, labels: { team: 'research' } } };
    expect((await write(labelled)).statusCode).toBe(200);
  });
});
