import { isIP } from 'node:net';
import type { Deployment, KubeObject, Pod, StoredAgent } from '../kube/objects.js';
import { ownDeployment, selectPods } from '../status/pod-selection.js';
import { viewSpec } from '../status/spec-view.js';

/** What a probe is about; an answer counts only while this is still so. */
export interface ProbeTarget {
  readonly agent: StoredAgent;
  /** Declared gateway types. */
  readonly gateways: readonly string[];
  /** Absent while the agent has no pod. */
  readonly pod?: ProbedPod;
}

/** The pod whose dashboard is asked. */
export interface ProbedPod {
  readonly uid: string;
  readonly name: string;
  readonly createdAt: number;
  readonly isReady: boolean;
  /** Absent until the pod runs. */
  readonly address?: string;
}

/** What the cluster holds of an agent, as far as a probe needs it. */
export interface ProbeSources {
  readonly deployment?: Deployment;
  readonly replicaSets: readonly KubeObject[];
  readonly pods: readonly Pod[];
}

/** Whom to ask about an agent; undefined when nobody is to be asked. */
export function probeTarget(agent: StoredAgent | undefined, sources: ProbeSources): ProbeTarget | undefined {
  if (agent === undefined || agent.metadata.deletionTimestamp !== undefined) return undefined;
  const spec = viewSpec(agent.spec);
  if (!spec.hasDashboard || spec.isSuspended) return undefined;
  const pod = selectPods(ownDeployment(sources.deployment), sources.replicaSets, sources.pods).current;
  return { agent, gateways: spec.gateways, ...(pod !== undefined && { pod: probedPod(pod) }) };
}

function probedPod({ metadata, status }: Pod): ProbedPod {
  const address = status?.podIP;
  // A name would be looked up, and others decide what it means.
  const canAnswer = status?.phase === 'Running' && address !== undefined && isIP(address) !== 0;
  return {
    uid: metadata.uid,
    name: metadata.name,
    createdAt: Date.parse(metadata.creationTimestamp),
    isReady: status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') ?? false,
    ...(canAnswer && { address }),
  };
}

/** Whether two targets are one object, and not one that was created again under the name of the other. */
export function isSameObject(a: ProbeTarget, b: ProbeTarget): boolean {
  return a.agent.metadata.uid === b.agent.metadata.uid;
}

/** Whether an answer of one target is an answer of the other. */
export function isSameTarget(a: ProbeTarget, b: ProbeTarget): boolean {
  const isSameSpec = a.agent.metadata.generation === b.agent.metadata.generation;
  return isSameObject(a, b) && isSameSpec && a.pod?.uid === b.pod?.uid && a.pod?.address === b.pod?.address;
}
