import { randomInt } from 'node:crypto';
import { ANNOTATIONS, API_VERSION, ORIGIN_CLI, RUN_KIND } from '../../lib/api/identity.js';
import type { KubeManifest } from '../../lib/children/manifest.js';
import { isWorkloadOf } from '../../lib/runs/former-run.js';
import type { KubeApi } from '../../controller/kube/client.js';
import { describeError, hasStatusCode } from '../../controller/kube/errors.js';
import { findObject } from '../../controller/kube/object-requests.js';
import { collectionPath, objectPath, RESOURCES, type ResourceType } from '../../controller/kube/resources.js';
import { IoError } from '../exit-codes.js';

/** A run that was created. */
export interface CreatedRun {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

interface Created {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
}

/** The letters of names that Kubernetes makes up: no vowels, so that no words come out. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** A name for a run of an agent. An agent's name has at most 46 characters, so it fits. */
export function generatedName(agent: string): string {
  const suffix = Array.from({ length: 5 }, () => ALPHABET[randomInt(ALPHABET.length)]);
  return `${agent}-${suffix.join('')}`;
}

/**
 * Creates the run, then its workload, which the run owns: deleting the run deletes it too. Without the workload the run
 * is taken back; a workload of the name that is there already stays as it is, and refuses the run before it is made.
 */
export async function createRun(api: KubeApi, agentRun: KubeManifest, workload: KubeManifest): Promise<CreatedRun> {
  const { namespace = '' } = agentRun.metadata;
  await refuseTaken(api, agentRun, workload);
  const { metadata } = (await post(api, RESOURCES.runs, marked(agentRun))) as Created;
  const { name, uid, resourceVersion } = metadata;
  const owner = { apiVersion: API_VERSION, kind: RUN_KIND, name, uid, controller: true };
  const { metadata: own, ...rest } = marked(workload);
  const owned = { ...rest, metadata: { ...own, ownerReferences: [owner] } };
  try {
    await post(api, workloadResource(workload, name), owned);
  } catch (error) {
    await api
      .request({
        method: 'DELETE',
        path: objectPath(RESOURCES.runs, { namespace, name }),
        body: { preconditions: { uid } },
      })
      .catch(() => undefined);
    throw new IoError(`${workload.kind} ${namespace}/${workload.metadata.name}: ${whyNot(workload, error)}`, {
      cause: error,
    });
  }
  return { name, namespace, uid, resourceVersion };
}

/** Whoever may create and not read learns it from the creation itself. */
async function refuseTaken(api: KubeApi, agentRun: KubeManifest, workload: KubeManifest): Promise<void> {
  const resource = workloadResource(workload, agentRun.metadata.name);
  const path = objectPath(resource, workload.metadata);
  const taken = await findObject(api, { path }).catch((error: unknown) => {
    if (!hasStatusCode(error, 403)) throw error;
    return undefined;
  });
  if (taken === undefined) return;
  const { namespace = '', name } = workload.metadata;
  throw new IoError(`${workload.kind} ${namespace}/${name} already exists; choose another --name`);
}

function whyNot({ kind, apiVersion }: KubeManifest, error: unknown): string {
  if (kind !== 'Sandbox' || !hasStatusCode(error, 404)) return describeError(error);
  return `the cluster does not serve ${apiVersion}; install agent-sandbox, or leave --workload out`;
}

function workloadResource(workload: KubeManifest, run: string): ResourceType {
  if (!isWorkloadOf(workload, run)) throw new Error(`${workload.kind} ${workload.metadata.name} is no workload`);
  return workload.kind === 'Sandbox' ? RESOURCES.sandboxes : RESOURCES.jobs;
}

/** The mark by which the controller knows that nothing declares the object, so that it may delete it. */
function marked(manifest: KubeManifest): KubeManifest {
  const annotations = { ...manifest.metadata.annotations, [ANNOTATIONS.origin]: ORIGIN_CLI };
  return { ...manifest, metadata: { ...manifest.metadata, annotations } };
}

function post(
  api: KubeApi,
  resource: ResourceType,
  body: { readonly metadata: { readonly namespace?: string } },
): Promise<unknown> {
  return api.request({ method: 'POST', path: collectionPath(resource, body.metadata.namespace), body });
}
