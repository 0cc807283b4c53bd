import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeOnBed, sharedBed } from '../../cluster/bed.js';
import { type KubeAnswer, pathOf } from '../../cluster/client.js';
import { waitFor } from '../../cluster/wait.js';
import { applyInstallSet, installObjects, removeInstallSet } from '../../support/install-set.js';

const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/hermes-gitops-system/deployments';

describeOnBed('the base of the install set', () => {
  const { client } = sharedBed();
  let answers: ReadonlyMap<string, KubeAnswer>;

  beforeAll(async () => {
    answers = await applyInstallSet(client, { image: 'registry.example.net/controller:v1' });
  });
  afterAll(() => removeInstallSet(client));

  it('is accepted as written, without a warning', () => {
    const warned = [...answers].filter(([, { warnings }]) => warnings.length > 0);
    expect(warned).toEqual([]);
    expect(answers.size).toBe(installObjects().size);
  });

  it.each([...installObjects({ image: 'registry.example.net/controller:v1' })])(
    'reads back as it was written: %s',
    async (_path, object) => {
      expect(await client.get(pathOf(object))).toMatchObject(object);
    },
  );

  it.each(['agent-restart', 'binding-lists', 'controller-writes'])(
    'has policies that pass the type checker: %s',
    async (name) => {
      const status = await waitFor(
        async () => {
          const { metadata, status: seen } = await client.get(`${POLICIES}/hermes-gitops-${name}`);
          return seen?.observedGeneration === metadata.generation && seen;
        },
        { what: 'the policy to be checked' },
      );
      expect(status.typeChecking).toEqual({});
    },
  );

  it('lets the pods of the controller into its namespace, which is closed to all that are not restricted', async () => {
    const { status } = await waitFor(
      async () => {
        const deployment = await client.get(`${DEPLOYMENTS}/hermes-gitops-controller`);
        return deployment['status']?.availableReplicas === 2 && deployment;
      },
      { what: 'both replicas' },
    );
    expect(status.replicas).toBe(2);
    const open = { name: 'open', image: 'registry.example.net/any:v1' };
    const refused = await client.request({
      method: 'POST',
      path: '/api/v1/namespaces/hermes-gitops-system/pods',
      body: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'open' }, spec: { containers: [open] } },
    });
    expect(refused.statusCode).toBe(403);
    expect(refused.body.message).toContain('violates PodSecurity "restricted:latest"');
  });

  it.each([
    ['view', 'get', true],
    ['view', 'patch', false],
    ['edit', 'patch', true],
    ['edit', 'deletecollection', true],
    ['admin', 'delete', true],
  ])('extends the ClusterRole %s: may %s agents: %s', async (role, verb, want) => {
    const { rules } = (await waitFor(async () => {
      const found = await client.get(`/apis/rbac.authorization.k8s.io/v1/clusterroles/${role}`);
      return (found['rules'] as Rule[]).some(isOurs) && found;
    })) as unknown as { rules: Rule[] };
    expect(rules.some((rule) => isOurs(rule) && rule.verbs.includes(verb))).toBe(want);
  });
});

interface Rule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly verbs: readonly string[];
}

function isOurs({ apiGroups = [], resources = [] }: Rule): boolean {
  return apiGroups.includes('hermes-gitops.dev') && resources.includes('hermesagents');
}
