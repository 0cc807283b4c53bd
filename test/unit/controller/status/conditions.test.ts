import { describe, expect, it } from 'vitest';
import { computeAgentStatus } from '../../../../controller/status/agent-status.js';
import type { ObservedAgent, SecretObservation } from '../../../../controller/status/observed.js';
import { secretReferences } from '../../../../controller/status/secret-references.js';
import { deepFreeze } from '../../../support/deep-freeze.js';
import {
  binding,
  child,
  deployment,
  DIGEST,
  former,
  HOUR,
  MINUTE,
  NO_POD,
  NONE_READY,
  NOW,
  observedAgent,
  pod,
  replicaSet,
  unreadyPod,
  waiting,
  type AgentParts,
} from '../../../support/observed-agent.js';

/** `status reason message` of one condition, with the time to look again. */
function see(type: string, observed: ObservedAgent): string {
  const { status, recheckAfterMs } = computeAgentStatus(deepFreeze(observed), NOW);
  const condition = status.conditions.find((candidate) => candidate.type === type);
  const recheck = recheckAfterMs === undefined ? '' : ` (${recheckAfterMs / 1000}s)`;
  return condition === undefined
    ? 'absent'
    : `${condition.status} ${condition.reason} ${condition.message}`.trim() + recheck;
}

const phaseOf = (observed: ObservedAgent): string => computeAgentStatus(deepFreeze(observed), NOW).status.phase;

describe('SecretsResolved', () => {
  const key = (name: string, field: string, optional?: boolean): object => ({
    name: 'V',
    valueFrom: { secretKeyRef: { name, key: field, ...(optional !== undefined && { optional }) } },
  });
  const everywhere = {
    env: [key('a', 'x'), key('b', 'y'), key('c', 'z', true)],
    envFrom: [{ prefix: 'TEAM_', secretRef: { name: 'extra', optional: true } }, { configMapRef: { name: 'map' } }],
    llmProviders: [{ name: 'main', env: [key('d', 'token')] }],
    gateways: [{ type: 'discord', env: [key('e', 'token')] }],
    dashboard: { enabled: true, env: [key('f', 'password')], envFrom: [{ secretRef: { name: 'g' } }] },
    imagePullSecrets: [{ name: 'pull' }],
    volumes: [{ name: 'v', secret: { secretName: 'mounted' } }],
  };
  const found = (...keys: string[]): SecretObservation => ({ state: 'found', keys: new Set(keys) });
  const missing: SecretObservation = { state: 'missing' };

  it('looks at variables of the agent, its providers, gateways and dashboard, and at nothing else', () => {
    expect(secretReferences(everywhere)).toEqual([
      { name: 'a', key: 'x', optional: false },
      { name: 'b', key: 'y', optional: false },
      { name: 'c', key: 'z', optional: true },
      { name: 'extra', optional: true },
      { name: 'd', key: 'token', optional: false },
      { name: 'e', key: 'token', optional: false },
      { name: 'f', key: 'password', optional: false },
      { name: 'g', optional: false },
    ]);
  });

  it('leaves the variables of a dashboard that is off alone', () => {
    expect(secretReferences({ dashboard: { enabled: false, env: [key('f', 'password')] } })).toEqual([]);
  });

  it.each<[string, object, Readonly<Record<string, SecretObservation>>, readonly [string, string]]>([
    [
      'lists what is missing in one order: whole Secrets and keys',
      { env: [key('b', 'y'), key('a', 'x'), key('a', 'w')] },
      { a: found('x'), b: missing },
      ['False SecretNotFound missing: a[w], b[y]; the pod that runs still has the old values', 'Bootstrap'],
    ],
    [
      'has a word of its own when only keys are missing',
      { env: [key('a', 'x')] },
      { a: found('other') },
      ['False SecretKeyNotFound missing: a[x]; the pod that runs still has the old values', 'Bootstrap'],
    ],
    [
      'resolves what is optional, whatever is there',
      { env: [key('c', 'z', true)], envFrom: [{ prefix: 'TEAM_', secretRef: { name: 'extra', optional: true } }] },
      { c: missing, extra: missing },
      ['True SecretsFound', 'Ready'],
    ],
    [
      'does not call missing what it may not read, and follows the pod',
      { env: [key('a', 'x')] },
      { a: { state: 'unreadable', message: 'forbidden' } },
      ['Unknown ReadFailed cannot be read: a (forbidden)', 'Ready'],
    ],
    [
      'says what is missing even when something else cannot be read',
      { env: [key('a', 'x'), key('b', 'y')] },
      { a: { state: 'unreadable', message: 'forbidden' }, b: missing },
      ['False SecretNotFound missing: b[y]; the pod that runs still has the old values', 'Bootstrap'],
    ],
    [
      'has not read everything yet',
      { env: [key('a', 'x')] },
      {},
      ['Unknown ReadFailed cannot be read: a (not read yet)', 'Ready'],
    ],
  ])('%s', (_, spec, secrets, [want, phase]) => {
    const observed = observedAgent({ spec, secrets: new Map(Object.entries(secrets)) });
    expect(see('SecretsResolved', observed)).toBe(want);
    expect(phaseOf(observed)).toBe(phase);
  });

  it('speaks of old values only while something runs', () => {
    const observed = observedAgent({
      spec: { env: [key('a', 'x')] },
      secrets: new Map([['a', missing]]),
      deployment: deployment({ counts: NONE_READY }),
      pods: [unreadyPod({ containers: [waiting('CreateContainerConfigError', 'secret "a" not found')] })],
    });
    expect(see('SecretsResolved', observed)).toBe('False SecretNotFound missing: a[x]');
    expect(see('PodReady', observed)).toBe(
      'False CreateContainerConfigError container "hermes" is waiting on CreateContainerConfigError: secret "a" not found',
    );
  });

  it('shows what the kubelet says of a Secret that the controller may not read', () => {
    const observed = observedAgent({
      spec: { env: [key('a', 'x')] },
      secrets: new Map([['a', { state: 'unreadable', message: 'forbidden' }]]),
      deployment: deployment({ counts: NONE_READY }),
      pods: [unreadyPod({ containers: [waiting('CreateContainerConfigError')] })],
    });
    expect(phaseOf(observed)).toBe('Degraded');
  });
});

describe('RBACSynced', () => {
  const ROLE = { kind: 'Role', name: 'deployer' } as const;
  const READER = { kind: 'ClusterRole', name: 'log-reader' } as const;
  const spec = {
    rbac: { roleBindings: [{ namespace: 'shared', roleRef: ROLE }], clusterRoleBindings: [{ roleRef: READER }] },
  };
  const roles: ObservedAgent['roles'] = new Map([
    ['Role/shared/deployer', { state: 'found' }],
    ['ClusterRole//log-reader', { state: 'found' }],
  ]);
  const inShared = binding(ROLE, { namespace: 'shared' });
  const inCluster = binding(READER);
  const names = { shared: inShared.metadata.name, cluster: inCluster.metadata.name };
  type Read = NonNullable<ObservedAgent['bindings']>;
  const judged = [former('RBACSynced', 'True', 'BindingsInSync')];
  const read = (...items: readonly (typeof inShared)[]): Read => ({ state: 'read', items });

  it.each<[string, AgentParts, string]>([
    ['is True when all are there', { bindings: read(inShared, inCluster) }, 'True BindingsInSync'],
    [
      'waits two minutes when the spec is new',
      { bindings: read() },
      `Unknown Applying not there yet: ${names.cluster} (ClusterRole log-reader), shared/${names.shared} (Role deployer) (120s)`,
    ],
    [
      'waits for the rest of them',
      {
        bindings: read(inCluster),
        phase: 'Ready',
        conditions: [former('RBACSynced', 'Unknown', 'Applying', { heldFor: 90 })],
      },
      `Unknown Applying not there yet: shared/${names.shared} (Role deployer) (30s)`,
    ],
    [
      'says missing after that',
      {
        bindings: read(inCluster),
        phase: 'Ready',
        conditions: [former('RBACSynced', 'Unknown', 'Applying', { heldFor: 120 })],
      },
      `False BindingMissing missing: shared/${names.shared} (Role deployer)`,
    ],
    [
      'waits ten seconds for one that vanished under the same spec',
      { bindings: read(inCluster), phase: 'Ready', conditions: judged },
      `Unknown BindingMissing not there any more: shared/${names.shared} (Role deployer) (10s)`,
    ],
    [
      'counts them from when it vanished',
      {
        bindings: read(inCluster),
        phase: 'Ready',
        conditions: [former('RBACSynced', 'Unknown', 'BindingMissing', { heldFor: 9 })],
      },
      `Unknown BindingMissing not there any more: shared/${names.shared} (Role deployer) (1s)`,
    ],
    [
      'says missing after that',
      {
        bindings: read(inCluster),
        phase: 'Ready',
        conditions: [former('RBACSynced', 'Unknown', 'BindingMissing', { heldFor: 10 })],
      },
      `False BindingMissing missing: shared/${names.shared} (Role deployer)`,
    ],
    [
      'goes on saying missing',
      {
        bindings: read(inCluster),
        phase: 'Degraded',
        conditions: [former('RBACSynced', 'False', 'BindingMissing', { heldFor: 1 })],
      },
      `False BindingMissing missing: shared/${names.shared} (Role deployer)`,
    ],
    [
      'gives a spec that changes meanwhile what is left of the two minutes',
      {
        bindings: read(inCluster),
        generation: 2,
        phase: 'Ready',
        conditions: [former('RBACSynced', 'Unknown', 'BindingMissing', { heldFor: 5 })],
      },
      `Unknown Applying not there yet: shared/${names.shared} (Role deployer) (115s)`,
    ],
    [
      'waits again when the spec changed',
      { bindings: read(inCluster), generation: 2, phase: 'Ready', conditions: judged },
      `Unknown Applying not there yet: shared/${names.shared} (Role deployer) (120s)`,
    ],
    [
      'sees another subject',
      { bindings: read(inCluster, { ...inShared, subjects: [{ kind: 'Group', name: 'all' }] }) },
      `False BindingDrifted shared/${names.shared}: the subject is Group all (120s)`,
    ],
    [
      'sees a second subject',
      {
        bindings: read(inShared, {
          ...inCluster,
          subjects: [...(inCluster.subjects ?? []), { kind: 'User', name: 'eve' }],
        }),
      },
      `False BindingDrifted ${names.cluster}: the subject is ServiceAccount lab/hermes-mina, User eve (120s)`,
    ],
    [
      'sees a ServiceAccount of that name in another namespace',
      {
        bindings: read(inShared, {
          ...inCluster,
          subjects: [{ kind: 'ServiceAccount', name: 'hermes-mina', namespace: 'prod' }],
        }),
      },
      `False BindingDrifted ${names.cluster}: the subject is ServiceAccount prod/hermes-mina (120s)`,
    ],
    [
      'sees nobody as the subject',
      { bindings: read(inCluster, { ...inShared, subjects: [] }) },
      `False BindingDrifted shared/${names.shared}: the subject is nobody (120s)`,
    ],
    [
      'sees another role',
      { bindings: read(inShared, { ...inCluster, roleRef: { kind: 'ClusterRole', name: 'admin' } }) },
      `False BindingDrifted ${names.cluster}: roleRef is ClusterRole admin (120s)`,
    ],
    [
      'does not take one of another namespace for it',
      {
        bindings: read(inCluster, { ...inShared, metadata: { ...inShared.metadata, namespace: 'lab' } }),
        phase: 'Ready',
        conditions: judged,
      },
      `Unknown BindingMissing not there any more: shared/${names.shared} (Role deployer) (10s)`,
    ],
    [
      'names a role that is not there',
      { bindings: read(inShared, inCluster), roles: new Map([['Role/shared/deployer', { state: 'missing' }]]) },
      'False RoleMissing Role shared/deployer does not exist',
    ],
    [
      'does not know of a role that it may not read',
      {
        bindings: read(inShared, inCluster),
        roles: new Map([['ClusterRole//log-reader', { state: 'unreadable', message: 'forbidden' }]]),
      },
      'Unknown ReadFailed ClusterRole log-reader: forbidden',
    ],
    [
      'does not know of bindings that it may not read',
      { bindings: { state: 'unreadable', message: 'forbidden' } },
      'Unknown ReadFailed forbidden',
    ],
  ])('%s', (_, parts, want) => {
    expect(see('RBACSynced', observedAgent({ spec, roles, ...parts }))).toBe(want);
  });

  it('takes the ServiceAccount that the spec brings', () => {
    const subjects = [{ kind: 'ServiceAccount', name: 'own', namespace: 'lab' }];
    const bindings = read({ ...inShared, subjects }, { ...inCluster, subjects });
    expect(see('RBACSynced', observedAgent({ spec: { ...spec, serviceAccountName: 'own' }, roles, bindings }))).toBe(
      'True BindingsInSync',
    );
  });

  it.each<[string, object, string]>([
    [
      'a ClusterRole for the whole cluster',
      { clusterRoleBindings: [{ roleRef: { kind: 'ClusterRole', name: 'cluster-admin' } }] },
      'False ClusterRoleNotAllowed the ClusterRole cluster-admin is not allowed',
    ],
    [
      'one whose name differs in case',
      { clusterRoleBindings: [{ roleRef: { kind: 'ClusterRole', name: 'View' } }] },
      'False ClusterRoleNotAllowed the ClusterRole View is not allowed',
    ],
    [
      'one in a single namespace',
      { roleBindings: [{ namespace: 'lab', roleRef: { kind: 'ClusterRole', name: 'cluster-admin' } }] },
      'False ClusterRoleNotAllowed the ClusterRole cluster-admin is not allowed',
    ],
    [
      'a namespace',
      { roleBindings: [{ namespace: 'prod', roleRef: { kind: 'Role', name: 'r' } }] },
      'False NamespaceNotAllowed bindings in namespace prod are not allowed',
    ],
    [
      'both',
      {
        roleBindings: [{ namespace: 'prod', roleRef: { kind: 'Role', name: 'r' } }],
        clusterRoleBindings: [{ roleRef: { kind: 'ClusterRole', name: 'admin' } }],
      },
      'False ClusterRoleNotAllowed bindings in namespace prod are not allowed, the ClusterRole admin is not allowed',
    ],
  ])('refuses %s that is not on the list', (_, rbac, want) => {
    expect(see('RBACSynced', observedAgent({ spec: { rbac } }))).toBe(want);
  });

  it('becomes True when the list is widened, without a change of the agent', () => {
    const admin = { kind: 'ClusterRole', name: 'cluster-admin' } as const;
    const refused = observedAgent({
      spec: { rbac: { clusterRoleBindings: [{ roleRef: admin }] } },
      bindings: read(binding(admin)),
      phase: 'Degraded',
      conditions: [former('RBACSynced', 'False', 'ClusterRoleNotAllowed')],
    });
    const gates = { allowedClusterRoles: ['cluster-admin'], allowedBindingNamespaces: [] };
    expect(phaseOf(refused)).toBe('Degraded');
    expect(see('RBACSynced', { ...refused, gates })).toBe('True BindingsInSync');
    expect(phaseOf({ ...refused, gates })).toBe('Ready');
  });

  it('stays visible while the agent is suspended', () => {
    const admin = { clusterRoleBindings: [{ roleRef: { kind: 'ClusterRole', name: 'cluster-admin' } }] };
    const observed = observedAgent({ spec: { suspend: true, rbac: admin } });
    expect(phaseOf(observed)).toBe('Suspended');
    expect(see('RBACSynced', observed)).toBe(
      'False ClusterRoleNotAllowed the ClusterRole cluster-admin is not allowed',
    );
  });
});

describe('ManifestsCurrent', () => {
  const OTHER = `v1:${'b'.repeat(64)}`;
  const digests = `the spec has digest ${DIGEST}, the Deployment was rendered from ${OTHER}`;
  const other = deployment({ digest: OTHER });
  const pending = (reason: string, heldFor: number): AgentParts => ({
    phase: 'Ready',
    conditions: [former('ManifestsCurrent', 'Unknown', reason, { heldFor })],
  });
  const stale = [child('Service', 'hermes-mina-dashboard'), child('NetworkPolicy', 'hermes-mina')];
  const left = 'NetworkPolicy lab/hermes-mina, Service lab/hermes-mina-dashboard';

  it.each<[string, AgentParts, string]>([
    ['is True when the digests match', {}, 'True SpecDigestMatches'],
    ['waits ten seconds', { deployment: other }, `Unknown Syncing ${digests} (10s)`],
    ['waits for the rest of them', { deployment: other, ...pending('Syncing', 7) }, `Unknown Syncing ${digests} (3s)`],
    [
      'names both digests after that',
      { deployment: other, ...pending('Syncing', 10) },
      `False SpecDigestMismatch ${digests}`,
    ],
    [
      'stays with what it said when the spec changes again',
      {
        deployment: other,
        generation: 3,
        phase: 'Ready',
        conditions: [former('ManifestsCurrent', 'False', 'SpecDigestMismatch')],
      },
      `False SpecDigestMismatch ${digests}`,
    ],
    [
      'gives the engine two minutes to remove things',
      { children: stale },
      `Unknown Pruning to be removed by the engine: ${left} (120s)`,
    ],
    [
      'names what is left over after that',
      { children: stale, ...pending('Pruning', 120) },
      `False Leftovers not rendered from the spec any more: ${left}`,
    ],
    [
      'leaves alone what the spec renders, and what is on its way out',
      {
        children: [
          ...['Service', 'ServiceAccount'].map((kind) => child(kind, 'hermes-mina')),
          child('PersistentVolumeClaim', 'hermes-mina-data'),
          child('NetworkPolicy', 'hermes-mina', { deletionTimestamp: '2026-03-01T11:59:59Z' }),
        ],
      },
      'True SpecDigestMatches',
    ],
    [
      'does not believe labels',
      {
        children: [
          child('Service', 'forged'),
          child('Secret', 'hermes-mina'),
          child('NetworkPolicy', 'hermes-mina', { namespace: 'evil' }),
          child('NetworkPolicy', 'hermes-mina', { labels: { 'hermes-gitops.dev/agent': 'mina' } }),
        ],
        bindings: {
          state: 'read',
          items: [
            binding({ kind: 'ClusterRole', name: 'view' }, { subjects: [{ kind: 'User', name: 'eve' }] }),
            binding({ kind: 'ClusterRole', name: 'view' }, { role: 'edit' }),
          ],
        },
      },
      'True SpecDigestMatches',
    ],
    [
      'names a binding that is really the agent’s and not in its spec',
      {
        bindings: { state: 'read', items: [binding({ kind: 'ClusterRole', name: 'view' })] },
        ...pending('Pruning', 2 * MINUTE),
      },
      `False Leftovers not rendered from the spec any more: ClusterRoleBinding ${binding({ kind: 'ClusterRole', name: 'view' }).metadata.name}`,
    ],
    [
      'has no digest to compare',
      { deployment: deployment({ digest: null }) },
      'False NotRendered Deployment hermes-mina carries no hermes-gitops.dev/spec-digest',
    ],
    [
      'cannot compare digests of two versions',
      { deployment: deployment({ digest: `v9:${'b'.repeat(64)}` }) },
      "Unknown NotComparable the Deployment's digest is of version v9, the controller's of v1",
    ],
  ])('%s', (_, parts, want) => {
    expect(see('ManifestsCurrent', observedAgent(parts))).toBe(want);
  });

  it('does not change the phase', () => {
    expect(phaseOf(observedAgent({ deployment: other, ...pending('Syncing', HOUR) }))).toBe('Ready');
  });
});

describe('PodReady while the agent is suspended', () => {
  const suspended = (parts: AgentParts): string =>
    see('PodReady', observedAgent({ spec: { suspend: true }, ...parts }));
  const scaled = deployment({ replicas: 0, counts: NO_POD });

  it.each<[string, AgentParts, string]>([
    [
      'names the pod that still runs',
      {},
      'False ScalingDown the Deployment still asks for 1 pod(s): hermes-mina-1-x (running)',
    ],
    [
      'names the pod that terminates',
      { deployment: scaled, pods: [pod({ isTerminating: true })] },
      'False ScalingDown a pod is still there: hermes-mina-1-x (terminating)',
    ],
    ['is Suspended when none is left', { deployment: scaled, pods: [] }, 'False Suspended the agent is suspended'],
    [
      'does not wait for one that only has the labels',
      { deployment: scaled, pods: [pod({ owner: 'somebody-else' })] },
      'False Suspended the agent is suspended',
    ],
    [
      'waits for one of an older revision',
      {
        deployment: scaled,
        replicaSets: [replicaSet(), replicaSet('0')],
        pods: [pod({ name: 'old', revision: '0', isTerminating: true })],
      },
      'False ScalingDown a pod is still there: old (terminating)',
    ],
    ['needs no Deployment', { isBare: true }, 'False Suspended the agent is suspended'],
  ])('%s', (_, parts, want) => {
    expect(suspended(parts)).toBe(want);
  });
});
