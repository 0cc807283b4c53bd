import { beforeAll, expect, it } from 'vitest';
import { computeAgentStatus } from '../../../controller/status/agent-status.js';
import type { Deployment, KubeObject, Pod } from '../../../controller/kube/objects.js';
import { createNamespace, describeOnBed, sharedBed } from '../../cluster/bed.js';
import { waitFor } from '../../cluster/wait.js';
import { former, observedAgent } from '../../support/observed-agent.js';

const DRAIN = 'bed.hermes-gitops.dev/drain';
const SELECTOR = 'hermes-gitops.dev/agent=mina';

describeOnBed('a rollout that replaces the only pod', () => {
  const { client } = sharedBed();
  let namespace = '';
  const deployments = (): string => `/apis/apps/v1/namespaces/${namespace}/deployments`;
  const pods = (): string => `/api/v1/namespaces/${namespace}/pods`;

  beforeAll(async () => {
    namespace = await createNamespace(client, 'recreate');
    await waitFor(() => client.find(`/api/v1/namespaces/${namespace}/serviceaccounts/default`));
    const labels = { 'hermes-gitops.dev/agent': 'mina', 'hermes-gitops.dev/agent-namespace': namespace };
    await client.create(deployments(), {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'hermes-mina', labels },
      spec: {
        replicas: 1,
        strategy: { type: 'Recreate' },
        selector: { matchLabels: { 'hermes-gitops.dev/agent': 'mina' } },
        template: {
          metadata: { labels, annotations: { [DRAIN]: 'true' } },
          spec: { containers: [{ name: 'hermes', image: 'registry.example.net/hermes:v1' }] },
        },
      },
    });
    await waitFor(async () => (await look()).progressing === 'NewReplicaSetAvailable');
  });

  /** What the Deployment's controller says, and the phase of an agent that was Ready until this moment. */
  async function look(): Promise<{ phase: string; progressing: string | undefined; counts: string; pods: number }> {
    const deployment = (await client.get(`${deployments()}/hermes-mina`)) as unknown as Deployment;
    const sets = (await client.list(`/apis/apps/v1/namespaces/${namespace}/replicasets`, SELECTOR)) as unknown;
    const live = (await client.list(pods(), SELECTOR)) as unknown as readonly Pod[];
    const observed = observedAgent({
      deployment,
      replicaSets: sets as readonly KubeObject[],
      pods: live,
      phase: 'Ready',
      conditions: [former('Ready', 'True', 'AgentReady'), former('SecretsResolved', 'True', 'SecretsFound')],
    });
    const { replicas = 0, updatedReplicas = 0, conditions } = deployment.status ?? {};
    return {
      phase: computeAgentStatus(observed, Date.now()).status.phase,
      progressing: conditions?.find(({ type }) => type === 'Progressing')?.reason,
      counts: `${updatedReplicas} of ${replicas}`,
      pods: live.length,
    };
  }

  it('is Provisioning while the former pod drains, although the Deployment calls its rollout finished', async () => {
    expect(await look()).toMatchObject({ phase: 'Ready', counts: '1 of 1', pods: 1 });
    await client.mergePatch(`${deployments()}/hermes-mina`, {
      spec: { template: { metadata: { annotations: { change: '2' } } } },
    });
    await waitFor(async () => (await look()).counts === '0 of 0');
    expect(await look()).toEqual({
      phase: 'Provisioning',
      progressing: 'NewReplicaSetAvailable',
      counts: '0 of 0',
      pods: 1,
    });

    const [drained] = await client.list(pods(), SELECTOR);
    await client.mergePatch(`${pods()}/${String(drained?.metadata.name)}`, {
      metadata: { annotations: { [DRAIN]: null } },
    });
    await waitFor(async () => (await look()).counts === '1 of 1');
    await waitFor(async () => (await look()).phase === 'Ready');
  });
});
