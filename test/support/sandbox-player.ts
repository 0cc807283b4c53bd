import type { KubeClient, KubeManifest } from '../cluster/client.js';
import { sandboxesPath } from '../cluster/sandbox-crd.js';

interface SandboxSpec {
  readonly operatingMode?: string;
  readonly podTemplate: { readonly metadata?: object; readonly spec: object };
}

interface PlayedCondition {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly lastTransitionTime: string;
}

/** Plays the controller of Sandboxes in one namespace. */
export interface SandboxPlayer {
  stop(): Promise<void>;
}

/**
 * Keeps the one pod of each Sandbox: it bears the Sandbox's name, is made again when it went, ended or not, and goes when
 * the Sandbox is suspended. Conditions as the real controller has them.
 */
export function playSandboxes(client: KubeClient, namespace: string): SandboxPlayer {
  let isStopped = false;
  const play = async (): Promise<void> => {
    while (!isStopped) {
      for (const sandbox of await client.list(sandboxesPath(namespace))) {
        // Whatever fails is tried again at the next look, as a controller does.
        await playOne(client, sandbox).catch(() => undefined);
      }
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
  };
  const playing = play();
  return {
    stop: () => {
      isStopped = true;
      return playing;
    },
  };
}

async function playOne(client: KubeClient, sandbox: KubeManifest): Promise<void> {
  const { name, namespace = '', uid = '' } = sandbox.metadata;
  const spec = sandbox['spec'] as SandboxSpec;
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const pod = await client.find(`${pods}/${name}`);
  const isSuspended = spec.operatingMode === 'Suspended';
  if (isSuspended && pod !== undefined) await client.delete(`${pods}/${name}`);
  if (!isSuspended && pod === undefined) {
    const owner = { apiVersion: 'agents.x-k8s.io/v1beta1', kind: 'Sandbox', name, uid, controller: true };
    await client.create(pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...spec.podTemplate.metadata, name, ownerReferences: [owner] },
      spec: spec.podTemplate.spec,
    });
  }
  await writeConditions(client, sandbox, pod);
}

async function writeConditions(
  client: KubeClient,
  sandbox: KubeManifest,
  pod: KubeManifest | undefined,
): Promise<void> {
  const isSuspended = (sandbox['spec'] as SandboxSpec).operatingMode === 'Suspended';
  const { phase } = (pod?.['status'] ?? {}) as { readonly phase?: string };
  const isOver = phase === 'Succeeded' || phase === 'Failed';
  const isAway = isSuspended && pod === undefined;
  const wanted: readonly Omit<PlayedCondition, 'lastTransitionTime'>[] = [
    { type: 'Suspended', status: isAway ? 'True' : 'False', reason: isAway ? 'PodTerminated' : 'NotSuspended' },
    { type: 'Ready', status: phase === 'Running' ? 'True' : 'False', reason: 'Dependencies' },
    ...(isOver ? [{ type: 'Finished', status: 'True', reason: `Pod${phase}` } as const] : []),
  ];
  const before = ((sandbox['status'] ?? {}) as { readonly conditions?: readonly PlayedCondition[] }).conditions ?? [];
  const conditions = wanted.map((condition) => {
    const former = before.find(({ type, status }) => type === condition.type && status === condition.status);
    return { ...condition, lastTransitionTime: former?.lastTransitionTime ?? new Date().toISOString() };
  });
  if (
    JSON.stringify(before.map(({ type, status }) => [type, status])) ===
    JSON.stringify(conditions.map(({ type, status }) => [type, status]))
  )
    return;
  const { name, namespace = '' } = sandbox.metadata;
  await client.mergePatch(`${sandboxesPath(namespace, name)}/status`, { status: { conditions } });
}
