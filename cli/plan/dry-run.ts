import { canonicalJson } from '../../lib/api/canonical-json.js';
import { identityOf, type PlannedObject, type RefusedChange } from '../../lib/plan/compare.js';
import { refusedChanges } from '../../lib/plan/refused-changes.js';
import type { KubeApi } from '../../controller/kube/client.js';
import { KubeStatusError } from '../../controller/kube/errors.js';
import { findObject } from '../../controller/kube/object-requests.js';
import { apiVersionOf, objectPath, RESOURCES, type ResourceType } from '../../controller/kube/resources.js';
import { IoError } from '../exit-codes.js';
import { applyManager, filled, lastApplied, PLAN_MANAGER, withoutRemoved } from './field-owner.js';

/** An object as the cluster holds it and as it would hold it after a sync. */
export interface DryRun {
  /** Undefined when the object does not exist. */
  readonly before?: PlannedObject;
  readonly after: PlannedObject;
  readonly refused: readonly RefusedChange[];
}

type Spec = Readonly<Record<string, unknown>>;

/** An object as the API server sends it. */
type LiveObject = PlannedObject & Parameters<typeof applyManager>[0] & Readonly<Record<string, unknown>>;

/** How often an object may change between being read and being asked about, as one does whose status moves. */
const MAX_CONFLICTS = 5;

/** Asks the API server what would become of one object, without changing anything. */
export async function dryRunApply(api: KubeApi, rendered: PlannedObject, conflicts = 0): Promise<DryRun> {
  const live = await readLive(api, rendered);
  const before = live === undefined ? {} : { before: settled(live) };
  try {
    const after = await applied(api, rendered, live);
    return { ...before, after: settled(after), refused: [] };
  } catch (error) {
    if (!(error instanceof KubeStatusError)) throw error;
    if (error.statusCode === 409) {
      if (conflicts >= MAX_CONFLICTS) throw error;
      return await dryRunApply(api, rendered, conflicts + 1);
    }
    const refused = refusals(rendered, live, error);
    // Nothing comes of a refused change.
    return { ...before, after: live === undefined ? rendered : settled(live), refused };
  }
}

/** An object without what the API server keeps for itself, so that two states of it can be compared. */
export function settled(object: PlannedObject): PlannedObject {
  const { name, namespace, labels, annotations, finalizers, ownerReferences } =
    object.metadata as PlannedObject['metadata'] & Readonly<Record<string, unknown>>;
  const shown = Object.entries(annotations ?? {}).filter(([key]) => !key.startsWith('kubectl.kubernetes.io/last-'));
  const metadata = { name, namespace, labels, annotations: Object.fromEntries(shown), finalizers, ownerReferences };
  const { apiVersion, kind } = object;
  const rest = Object.entries(object).filter(([field]) => field !== 'status' && field !== 'metadata');
  return { ...Object.fromEntries(rest), apiVersion, kind, metadata: metadata as PlannedObject['metadata'] };
}

/** The resource of a kind that is rendered. */
export function resourceOf({ apiVersion, kind }: PlannedObject): ResourceType {
  const found = Object.values<ResourceType>(RESOURCES).find(
    (resource) => resource.kind === kind && apiVersionOf(resource) === apiVersion,
  );
  if (found === undefined) throw new Error(`no resource is known for ${apiVersion} ${kind}`);
  return found;
}

/** An object as the API server holds it, or undefined. */
export async function readLive(api: KubeApi, rendered: PlannedObject): Promise<LiveObject | undefined> {
  return (await findObject(api, { path: pathOf(rendered) })) as LiveObject | undefined;
}

async function applied(api: KubeApi, rendered: PlannedObject, live: LiveObject | undefined): Promise<PlannedObject> {
  const fieldManager = live === undefined ? PLAN_MANAGER : applyManager(live);
  const answer = (await api.request({
    method: 'PATCH',
    path: pathOf(rendered),
    query: { dryRun: 'All', force: 'true', fieldManager },
    contentType: 'application/apply-patch+yaml',
    body: rendered,
  })) as PlannedObject;
  const former = live === undefined ? undefined : lastApplied(live);
  // What is applied so has annotations in any case, so that those of others stay.
  const wanted = { ...rendered, metadata: { annotations: {}, ...rendered.metadata } };
  const rest = former === undefined ? answer : (withoutRemoved(answer, former, wanted) as PlannedObject);
  if (canonicalJson(rest) === canonicalJson(answer)) return answer;
  // The server fills in defaults for what is taken away, and may refuse to let go of it.
  return (await api.request({
    method: 'PUT',
    path: pathOf(rendered),
    query: { dryRun: 'All', fieldManager },
    body: { ...rest, metadata: { ...rest.metadata, managedFields: undefined } },
  })) as PlannedObject;
}

function refusals(rendered: PlannedObject, live: LiveObject | undefined, error: KubeStatusError): RefusedChange[] {
  const object = identityOf(rendered);
  if (isMissingRight(error)) {
    const place = `${object.kind} ${object.namespace === '' ? '' : `${object.namespace}/`}${object.name}`;
    throw new IoError(`${place}: a plan needs the rights of the engine that will apply it: ${error.message}`);
  }
  if (error.statusCode === 404 && live === undefined) {
    const message = `${whatIsMissing(rendered, error)}, so the API server could not be asked`;
    return [{ object, path: '', message, certain: false }];
  }
  const known = live === undefined ? [] : refusedChanges(live, overlay(live, rendered));
  if (known.length === 0) return [{ object, path: '', message: error.message, certain: true }];
  return known.map((refusal, index) => ({
    object,
    ...refusal,
    certain: true,
    ...(index === known.length - 1 && { answer: error.message }),
  }));
}

/** What has to be there before an object can be. */
function whatIsMissing({ apiVersion, kind }: PlannedObject, { message }: KubeStatusError): string {
  const namespace = /^namespaces "([^"]+)" not found$/.exec(message)?.[1];
  return namespace === undefined
    ? `the cluster does not serve ${kind} of ${apiVersion} yet`
    : `namespace ${namespace} does not exist yet`;
}

/** Rights of whoever plans, not rules about what is applied: those say `denied` or `violates`. */
function isMissingRight(error: KubeStatusError): boolean {
  if (error.statusCode === 401) return true;
  const words = /\bcannot (get|patch|create|update) resource\b|attempting to grant RBAC permissions not currently held/;
  return error.statusCode === 403 && words.test(error.message);
}

/** `rendered` with what the cluster filled in, so that only what was written counts as a change. */
function overlay(live: LiveObject, rendered: PlannedObject): PlannedObject {
  if (rendered.spec === undefined) return { ...live, ...rendered };
  const [former, wanted] = [(live.spec ?? {}) as Spec, rendered.spec as Spec];
  // Of a pod template the cluster fills in something at every depth.
  const template = wanted['template'] === undefined ? {} : { template: filled(former['template'], wanted['template']) };
  return { ...live, ...rendered, spec: { ...former, ...wanted, ...template } };
}

function pathOf(object: PlannedObject): string {
  return objectPath(resourceOf(object), object.metadata);
}
