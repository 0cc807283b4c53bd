import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { renderAgent } from '../../../lib/children/render-agent.js';
import { validateAgent } from '../../../lib/validation/validate-agent.js';
import { createNamespace, describeOnBed, provisionVolumes, sharedBed } from '../../cluster/bed.js';
import type { KubeManifest } from '../../cluster/client.js';
import { BED_ANNOTATIONS, type PodState } from '../../cluster/failure-stages.js';
import { eventually, untilStill, waitFor } from '../../cluster/wait.js';
import { hostController, type ControllerHost } from '../../support/controller-host.js';
import { troubleshootingTable } from '../../support/troubleshooting-table.js';

interface AgentStatus {
  readonly phase: string;
  readonly podName?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
}

const STORAGE = {
  persistentVolumeClaim: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
};
const GATES = { allowedClusterRoles: [], allowedBindingNamespaces: [] };

/** Every status write that the API server has logged, a name for each: `<user> <agent>`. */
async function statusWrites(auditLog: string, namespace: string): Promise<readonly string[]> {
  const events = (await readFile(auditLog, 'utf8'))
    .split('\n')
    .filter((line) => line.includes(`/namespaces/${namespace}/hermesagents/`) && line.endsWith('}'))
    .map((line) => JSON.parse(line) as { user: { username: string }; verb: string; objectRef: Record<string, string> });
  return events
    .filter(({ verb, objectRef }) => verb !== 'get' && objectRef['subresource'] === 'status')
    .map(({ user, objectRef }) => `${user.username} ${objectRef['name'] ?? ''}`);
}

const inState = (state: PodState, more: object = {}): object => ({
  podAnnotations: { [BED_ANNOTATIONS.state]: state },
  ...more,
});

describeOnBed('the status of an agent', () => {
  const bed = sharedBed();
  const { client, auditLog } = bed;
  let namespace = '';
  let host: ControllerHost;
  let stopVolumes: () => Promise<void>;

  beforeAll(async () => {
    namespace = await createNamespace(client, 'status');
    stopVolumes = provisionVolumes(client);
    host = await hostController(bed);
    await host.start([`--namespaces=${namespace}`]);
  });

  afterAll(async () => {
    await stopVolumes();
    await host.stop();
  });

  function manifestsOf(name: string, spec: object): readonly KubeManifest[] {
    const { agent, problems } = validateAgent(
      {
        apiVersion: 'hermes-gitops.dev/v1alpha1',
        kind: 'HermesAgent',
        metadata: { name, namespace },
        spec: { image: 'registry.example.net/hermes:v1', storage: STORAGE, ...spec },
      },
      GATES,
    );
    if (agent === undefined) throw new Error(JSON.stringify(problems));
    return renderAgent(agent) as unknown as readonly KubeManifest[];
  }

  async function apply(name: string, spec: object = {}): Promise<void> {
    for (const manifest of manifestsOf(name, spec)) await client.apply(manifest);
  }

  const statusOf = async (name: string): Promise<AgentStatus> => {
    const path = `/apis/hermes-gitops.dev/v1alpha1/namespaces/${namespace}/hermesagents/${name}`;
    return (await client.get(path))['status'] as AgentStatus;
  };

  /** The phase, and each condition as `<type> <status> <reason>`. */
  const summary = async (name: string): Promise<readonly string[]> => {
    const { phase, conditions = [] } = await statusOf(name);
    return [phase, ...conditions.map(({ type, status, reason }) => `${type} ${status} ${reason}`).sort()];
  };

  const reach = (name: string, want: readonly string[], timeoutMs?: number): Promise<void> =>
    eventually(async () => {
      expect(await summary(name)).toEqual([...want.slice(0, 1), ...want.slice(1).sort()]);
    }, timeoutMs);

  const moveTo = async (name: string, state: PodState): Promise<void> => {
    const podName = await waitFor(async () => (await statusOf(name)).podName);
    await client.mergePatch(`/api/v1/namespaces/${namespace}/pods/${podName}`, {
      metadata: { annotations: { [BED_ANNOTATIONS.state]: state } },
    });
  };

  const SYNCED = ['RBACSynced True BindingsInSync', 'ManifestsCurrent True SpecDigestMatches'];
  const RESOLVED = [...SYNCED, 'SecretsResolved True SecretsFound'];
  const READY = ['Ready', ...RESOLVED, 'Ready True AgentReady', 'PodReady True PodRunning'];
  const down = (reason: string): readonly string[] => [
    'Degraded',
    ...RESOLVED,
    `Ready False ${reason}`,
    `PodReady False ${reason}`,
  ];

  it('follows an agent from a missing Secret to its suspension', async () => {
    const env = [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'tokens', key: 'discord' } } }];
    const spec = inState('config-error', { env });
    await apply('mina', spec);
    await reach('mina', [
      'Bootstrap',
      ...SYNCED,
      'Ready False SecretNotFound',
      'Reconciling True SecretNotFound',
      'SecretsResolved False SecretNotFound',
      'PodReady False CreateContainerConfigError',
    ]);

    await client.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'tokens', namespace },
      data: { discord: 'eA==' },
    });
    await moveTo('mina', 'ready');
    await reach('mina', READY);

    await moveTo('mina', 'not-ready');
    await reach('mina', down('PodNotReady'));

    await moveTo('mina', 'image-pull-back-off');
    await reach('mina', down('ImagePullBackOff'));

    await moveTo('mina', 'ready');
    await reach('mina', READY);

    await apply('mina', { ...spec, suspend: true });
    await reach('mina', ['Suspended', ...RESOLVED, 'Ready True Suspended', 'PodReady False Suspended']);
    expect((await statusOf('mina')).podName).toBeUndefined();
  });

  it('is written at most twice until Ready, then not at all, and at once when something happens', async () => {
    await apply('calm');
    await reach('calm', READY);
    const writes = async (): Promise<readonly string[]> =>
      (await statusWrites(auditLog, namespace)).filter((write) => write.endsWith(' calm'));
    // Whatever is still on its way after Ready is written by then.
    const before = await untilStill(writes);
    expect([1, 2]).toContain(before.length);
    expect(new Set(before).size).toBe(1);

    await pause(31_000);
    expect(await writes()).toEqual(before);

    await moveTo('calm', 'not-ready');
    await reach('calm', down('PodNotReady'), 2000);
    expect(await writes()).toHaveLength(before.length + 1);
  });

  const DASHBOARD = { dashboard: { enabled: true } };

  it.each<[string, object]>([
    ['err-image-pull', inState('err-image-pull')],
    ['image-pull-back-off', inState('image-pull-back-off')],
    ['invalid-image-name', inState('invalid-image-name')],
    ['image-never-pull', inState('image-never-pull')],
    ['config-error', inState('config-error')],
    ['container-creating', inState('container-creating')],
    ['crash-loop', inState('crash-loop')],
    ['oom-loop', inState('oom-loop')],
    ['completed-loop', inState('completed-loop')],
    ['still-starting', inState('not-ready')],
    ['unschedulable', { nodeSelector: { gpu: 'yes' } }],
    ['claim-missing', { storage: { existingClaimName: 'old-data' } }],
    ['secret-missing', inState('config-error', { envFrom: [{ secretRef: { name: 'nowhere' } }] })],
    [
      'dashboard-crash-loop',
      {
        ...DASHBOARD,
        podAnnotations: { [BED_ANNOTATIONS.state]: 'crash-loop', [BED_ANNOTATIONS.container]: 'dashboard' },
      },
    ],
  ])('is as the troubleshooting guide says: %s', async (id, spec) => {
    const row = troubleshootingTable().find((candidate) => candidate.id === id);
    const name = `row-${id}`;
    await apply(name, spec);
    await eventually(async () => {
      const { phase, conditions = [] } = await statusOf(name);
      const condition = conditions.find(({ type }) => type === row?.type);
      expect({ phase, status: condition?.status, reason: condition?.reason }).toEqual({
        phase: row?.phase,
        status: row?.status,
        reason: row?.reason,
      });
    });
  });
});
