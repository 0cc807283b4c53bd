import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { renderAgent } from '../../../lib/children/render-agent.js';
import { validateAgent } from '../../../lib/validation/validate-agent.js';
import { createNamespace, describeOnBed, provisionVolumes, sharedBed } from '../../cluster/bed.js';
import type { KubeManifest } from '../../cluster/client.js';
import { BED_ANNOTATIONS } from '../../cluster/failure-stages.js';
import { eventually, untilStill, waitFor } from '../../cluster/wait.js';
import { hostController, type ControllerHost } from '../../support/controller-host.js';
import { fetchPage, type ControllerProcess } from '../../support/controller-process.js';

const GATES = { allowedClusterRoles: [], allowedBindingNamespaces: [] };

interface AgentStatus {
  readonly phase: string;
  readonly observedGeneration: number;
  readonly podName: string;
  readonly conditions: readonly { readonly type: string }[];
}

function subjectOf(event: KubeManifest): string {
  const regarding = event['regarding'] as { readonly name: string };
  return regarding.name;
}

function manifestsOf(name: string, namespace: string, spec: object = {}): readonly KubeManifest[] {
  const { agent, problems } = validateAgent(
    {
      apiVersion: 'hermes-gitops.dev/v1alpha1',
      kind: 'HermesAgent',
      metadata: { name, namespace },
      spec: {
        image: 'registry.example.net/hermes:v1',
        storage: {
          persistentVolumeClaim: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
        ...spec,
      },
    },
    GATES,
  );
  if (agent === undefined) throw new Error(JSON.stringify(problems));
  return renderAgent(agent) as unknown as readonly KubeManifest[];
}

describeOnBed('the controller as a process', () => {
  const bed = sharedBed();
  const { client, auditLog } = bed;
  let namespace = '';
  let host: ControllerHost;
  let controller: ControllerProcess;
  let stopVolumes: () => Promise<void>;

  beforeAll(async () => {
    namespace = await createNamespace(client, 'controller');
    stopVolumes = provisionVolumes(client);
    host = await hostController(bed);
    controller = await host.start([`--namespaces=${namespace}`]);
  });

  afterAll(async () => {
    await stopVolumes();
    await host.stop();
  });

  const agentPath = (name: string): string =>
    `/apis/hermes-gitops.dev/v1alpha1/namespaces/${namespace}/hermesagents/${name}`;

  const statusOf = async (name: string): Promise<AgentStatus> =>
    (await client.get(agentPath(name)))['status'] as AgentStatus;

  const reachPhase = (name: string, phase: string): Promise<AgentStatus> =>
    waitFor(
      async () => {
        const status = await statusOf(name);
        return status.phase === phase && status;
      },
      { what: `${name} in phase ${phase}` },
    );

  const conditionOf = (status: AgentStatus, type: string): unknown =>
    status.conditions.find((condition) => condition.type === type);

  const series = async (): Promise<string[]> =>
    (await fetchPage(controller.metricsUrl)).body
      .split('\n')
      .filter((line) => line.includes(`namespace="${namespace}"`));

  /** Status writes of the controller to one agent, as the API server counted them. */
  const writesTo = async (name: string): Promise<number> => {
    const lines = (await readFile(auditLog, 'utf8'))
      .split('\n')
      .filter((line) => line.includes(`"${agentPath(name)}/status`));
    return lines.filter((line) => line.includes('hermes-gitops-controller')).length;
  };

  it('serves health once every resource is read', async () => {
    await eventually(async () => {
      expect((await fetchPage(`${controller.healthUrl}/readyz`)).status).toBe(200);
    });
    expect((await fetchPage(`${controller.healthUrl}/healthz`)).status).toBe(200);
  });

  it('shows an agent without a Deployment as provisioning', async () => {
    for (const manifest of manifestsOf('alone', namespace).slice(0, 1)) await client.apply(manifest);
    const status = await reachPhase('alone', 'Provisioning');
    expect(status.observedGeneration).toBe(1);
    expect(conditionOf(status, 'PodReady')).toMatchObject({ status: 'False', reason: 'DeploymentMissing' });
    expect(await series()).toContain(
      `hermes_agent_phase{name="alone",namespace="${namespace}",phase="Provisioning"} 1`,
    );
  });

  it('follows a pod up, down and up again, and writes nothing in between', async () => {
    for (const manifest of manifestsOf('whole', namespace)) await client.apply(manifest);
    const status = await reachPhase('whole', 'Ready');
    expect(conditionOf(status, 'PodReady')).toMatchObject({ status: 'True', reason: 'PodRunning' });
    expect(await untilStill(() => writesTo('whole'))).toBeGreaterThan(0);
    const podPath = `/api/v1/namespaces/${namespace}/pods/${status.podName}`;
    await client.mergePatch(podPath, { metadata: { annotations: { [BED_ANNOTATIONS.state]: 'not-ready' } } });
    await reachPhase('whole', 'Degraded');
    await client.mergePatch(podPath, { metadata: { annotations: { [BED_ANNOTATIONS.state]: 'ready' } } });
    await reachPhase('whole', 'Ready');
  });

  it('sees a Secret that is created later', async () => {
    const env = [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'tokens', key: 'discord' } } }];
    for (const manifest of manifestsOf('secretive', namespace, { env })) await client.apply(manifest);
    const status = await reachPhase('secretive', 'Bootstrap');
    expect(conditionOf(status, 'SecretsResolved')).toMatchObject({ status: 'False', reason: 'SecretNotFound' });
    const marker = 'bWFya2VyLW9mLWEtdmFsdWU=';
    const metadata = { name: 'tokens', namespace };
    await client.apply({ apiVersion: 'v1', kind: 'Secret', metadata, data: { discord: marker } });
    await reachPhase('secretive', 'Ready');
    expect(JSON.stringify(controller.log())).not.toContain('marker-of-a-value');
    expect(JSON.stringify(controller.log())).not.toContain(marker);
  });

  it('says each change of phase once, as an event', async () => {
    await eventually(async () => {
      const events = await client.list(`/apis/events.k8s.io/v1/namespaces/${namespace}/events`);
      const notes = events
        .filter((event) => event['reportingController'] === 'hermes-gitops-controller')
        .filter((event) => subjectOf(event) === 'alone')
        .map((event) => String(event['note']).split(':')[0]);
      expect(notes).toEqual(['new -> Provisioning']);
    });
  });

  it('leaves no series of an agent that is gone', async () => {
    await client.delete(agentPath('alone'));
    await eventually(async () => {
      expect((await series()).filter((line) => line.includes('name="alone"'))).toEqual([]);
    });
    expect((await series()).filter((line) => line.includes('name="whole"'))).not.toEqual([]);
  });

  it('writes nothing after a restart when nothing has changed', async () => {
    const before = await writesTo('whole');
    expect(await controller.end('SIGTERM')).toBe(0);
    controller = await host.start([`--namespaces=${namespace}`]);
    await eventually(async () => {
      expect((await fetchPage(`${controller.healthUrl}/readyz`)).status).toBe(200);
    });
    expect(await series()).toContain(`hermes_agent_phase{name="whole",namespace="${namespace}",phase="Ready"} 1`);
    await pause(1000);
    expect(await writesTo('whole')).toBe(before);
  });

  it('ends with 0 on SIGTERM', async () => {
    expect(await controller.end('SIGTERM')).toBe(0);
    expect(controller.log().at(-1)).toMatchObject({ msg: 'controller stops', result: 'stopped' });
  });
});
