import { describe, expect, it } from 'vitest';
import type { RelatedObjects } from '../../../../controller/cache/agent-cache.js';
import { DeletingFinalizer } from '../../../../controller/finalize/finalizer.js';
import { AGENT as AGENT_KIND } from '../../../../controller/kube/agent-kind.js';
import type { KubeRequest } from '../../../../controller/kube/client.js';
import { KubeConnectionError, KubeStatusError } from '../../../../controller/kube/errors.js';
import type { RefusedScope } from '../../../../controller/finalize/live-bindings.js';
import type { ObjectEvent } from '../../../../controller/kube/event-recorder.js';
import type { Binding, KubeObject, ObjectMeta, StoredAgent } from '../../../../controller/kube/objects.js';
import { objectWriter } from '../../../../controller/kube/object-writer.js';
import { RESOURCES } from '../../../../controller/kube/resources.js';
import { clusterRoleBindingName, roleBindingName } from '../../../../lib/names.js';

const OURS = 'hermes-gitops.dev/finalizer';
const LABELS = { 'hermes-gitops.dev/agent': 'mia', 'hermes-gitops.dev/agent-namespace': 'lab' };
const CREATED = '2026-05-01T09:00:00Z';
const DELETED = '2026-05-01T10:00:00Z';
const AGENT = '/apis/hermes-gitops.dev/v1alpha1/namespaces/lab/hermesagents/mia';
const VIEW = { kind: 'ClusterRole', name: 'view' } as const;
const FOREIGN = roleBindingName('mia', 'lab', 'other', VIEW);
const CLUSTER = clusterRoleBindingName('mia', 'lab', VIEW);
const FOREIGN_PATH = `/apis/rbac.authorization.k8s.io/v1/namespaces/other/rolebindings/${FOREIGN}`;
const CLUSTER_PATH = `/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/${CLUSTER}`;
const SERVICE_PATH = '/api/v1/namespaces/lab/services/hermes-mia';
const ACCOUNT_PATH = '/api/v1/namespaces/lab/serviceaccounts/hermes-mia';

const meta = (name: string, namespace: string | undefined = 'lab'): ObjectMeta => ({
  name,
  ...(namespace === '' ? {} : { namespace }),
  uid: `uid-${name}`,
  resourceVersion: '1',
  creationTimestamp: CREATED,
  labels: LABELS,
});

const binding = (name: string, namespace: string): Binding => ({
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', ...VIEW },
  subjects: [{ kind: 'ServiceAccount', name: 'hermes-mia', namespace: 'lab' }],
  metadata: meta(name, namespace),
});

const BINDINGS = [binding(FOREIGN, 'other'), binding(CLUSTER, '')];
const CHILDREN: readonly KubeObject[] = [
  { kind: 'Service', metadata: meta('hermes-mia') },
  { kind: 'ServiceAccount', metadata: meta('hermes-mia') },
];

interface AgentParts {
  readonly finalizers?: readonly string[];
  readonly isDeleted?: boolean;
  readonly version?: string;
  readonly uid?: string;
  readonly status?: StoredAgent['status'];
  readonly spec?: unknown;
}

function agent(parts: AgentParts = {}): StoredAgent {
  const { finalizers = [OURS], isDeleted = true, version = '7', uid = 'u1', status } = parts;
  return {
    metadata: {
      ...meta('mia'),
      uid,
      resourceVersion: version,
      generation: 3,
      finalizers,
      ...(isDeleted ? { deletionTimestamp: DELETED } : {}),
    },
    spec: parts.spec ?? {},
    ...(status === undefined ? {} : { status }),
  };
}

type Answer = object | Error;

interface Setup {
  /** What each request meets, by `METHOD path`, in order; the last one stays. All else is answered with `{}`. */
  readonly answers?: Readonly<Record<string, readonly Answer[]>>;
  readonly related?: Partial<RelatedObjects>;
  /** Bindings as the API server has them. @default those that the cache has */
  readonly live?: readonly Binding[];
  readonly isCrdGoing?: boolean;
  /** Seconds since the deletion. */
  readonly after?: number;
  readonly namespaces?: readonly string[];
  /** Where bindings may not be read. */
  readonly refused?: readonly RefusedScope[];
}

interface Harness {
  readonly finalizer: DeletingFinalizer;
  readonly requests: KubeRequest[];
  /** `METHOD path` of each request. */
  readonly sent: () => string[];
  readonly events: ObjectEvent[];
}

function harness(setup: Setup = {}): Harness {
  const { answers = {}, related = { bindings: BINDINGS, children: CHILDREN }, namespaces } = setup;
  const requests: KubeRequest[] = [];
  const events: ObjectEvent[] = [];
  const rest = new Map(Object.entries(answers).map(([key, list]) => [key, [...list]]));
  const api = {
    now: () => Date.parse(DELETED) + (setup.after ?? 0) * 1000,
    request: (request: KubeRequest): Promise<unknown> => {
      requests.push(request);
      const list = rest.get(`${request.method} ${request.path}`) ?? [];
      const answer = list.length > 1 ? list.shift() : list[0];
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer ?? {});
    },
  };
  const finalizer = new DeletingFinalizer({
    api,
    writer: objectWriter(api, AGENT_KIND),
    cache: {
      related: () => ({ replicaSets: [], pods: [], bindings: [], children: [], ...related }),
      covers: (scope) => namespaces === undefined || (scope !== undefined && namespaces.includes(scope)),
    },
    record: (_, event) => events.push(event),
    isCrdGoing: () => Promise.resolve(setup.isCrdGoing === true),
    readBindings: () => Promise.resolve({ items: setup.live ?? related.bindings ?? [], refused: setup.refused ?? [] }),
  });
  return { finalizer, requests, events, sent: () => requests.map(({ method, path }) => `${method} ${path}`) };
}

const failure = (statusCode: number, message = 'no'): KubeStatusError =>
  new KubeStatusError({ statusCode, reason: `R${statusCode}`, message });

const RELEASE = `PATCH ${AGENT}`;
const ALL_DELETES = [
  `DELETE ${FOREIGN_PATH}`,
  `DELETE ${CLUSTER_PATH}`,
  `DELETE ${SERVICE_PATH}`,
  `DELETE ${ACCOUNT_PATH}`,
];

describe('ensure', () => {
  it.each([
    { title: 'an agent that is being deleted', parts: { finalizers: ['example.org/audit'] } },
    { title: 'an agent that it holds', parts: { isDeleted: false } },
  ])('sends nothing for $title', async ({ parts }) => {
    const { finalizer, requests } = harness();
    const given = agent(parts);
    expect(await finalizer.ensure(given)).toBe(given);
    expect(requests).toEqual([]);
  });

  it('adds ours behind the others and goes on with what the server stored', async () => {
    const stored = agent({ isDeleted: false, version: '8' });
    const { finalizer, requests } = harness({ answers: { [RELEASE]: [stored] } });
    const result = await finalizer.ensure(agent({ isDeleted: false, finalizers: ['b', 'a'] }));
    expect(result.metadata.resourceVersion).toBe('8');
    expect(requests.map(({ body }) => body)).toEqual([
      { metadata: { uid: 'u1', resourceVersion: '7', finalizers: ['b', 'a', OURS] } },
    ]);
  });

  it.each([
    {
      title: 'adds it to the state that made a conflict',
      live: agent({ isDeleted: false, finalizers: ['new'], version: '9' }),
      patches: [
        ['old', OURS],
        ['new', OURS],
      ],
      version: '10',
    },
    {
      title: 'finds that it was added before',
      live: agent({ isDeleted: false, version: '9' }),
      patches: [['old', OURS]],
      version: '9',
    },
    {
      title: 'leaves an agent alone that is being deleted by now',
      live: agent({ finalizers: ['old'], version: '9' }),
      patches: [['old', OURS]],
      version: '7',
    },
    {
      title: 'leaves the next agent of the name to the next pass',
      live: agent({ isDeleted: false, finalizers: [], uid: 'u2', version: '9' }),
      patches: [['old', OURS]],
      version: '7',
    },
  ])('$title', async ({ live, patches, version }) => {
    const { finalizer, requests } = harness({
      answers: {
        [RELEASE]: [failure(409), agent({ isDeleted: false, version: '10' })],
        [`GET ${AGENT}`]: [live],
      },
    });
    const result = await finalizer.ensure(agent({ isDeleted: false, finalizers: ['old'] }));
    expect(result.metadata.resourceVersion).toBe(version);
    const bodies = requests.filter(({ method }) => method === 'PATCH').map(({ body }) => body);
    expect(bodies.map((body) => (body as { metadata: ObjectMeta }).metadata.finalizers)).toEqual(patches);
  });

  it.each([
    { title: 'the agent is gone', error: failure(404), events: [] },
    {
      title: 'it may not be added',
      error: failure(403, 'not yours'),
      events: ['FinalizerNotAdded: cannot be held: 403 R403: not yours'],
    },
    { title: 'it is refused', error: failure(422), events: ['FinalizerNotAdded: cannot be held: 422 R422: no'] },
  ])('lets the status be written when $title', async ({ error, events }) => {
    const run = harness({ answers: { [RELEASE]: [error] } });
    const given = agent({ isDeleted: false, finalizers: [] });
    expect(await run.finalizer.ensure(given)).toBe(given);
    expect(run.events.map(({ reason, note }) => `${reason}: ${note}`)).toEqual(events);
  });

  it.each([failure(429), failure(503), new KubeConnectionError('reset')])('is tried again after %s', async (error) => {
    const { finalizer, events } = harness({ answers: { [RELEASE]: [error] } });
    await expect(finalizer.ensure(agent({ isDeleted: false, finalizers: [] }))).rejects.toBe(error);
    expect(events).toEqual([]);
  });
});

describe('finalize', () => {
  it('has nothing to do for an agent that it does not hold', async () => {
    const { finalizer, requests, events } = harness();
    expect(await finalizer.finalize(agent({ finalizers: ['example.org/audit'] }))).toEqual({ kind: 'released' });
    expect(requests).toEqual([]);
    expect(events).toEqual([]);
  });

  it('deletes by UID, in the background, and then lets go', async () => {
    const { finalizer, requests, sent, events } = harness();
    const finalizers = ['example.org/audit', OURS, 'example.org/bill'];
    expect(await finalizer.finalize(agent({ finalizers }))).toEqual({ kind: 'released' });
    expect(sent()).toEqual([...ALL_DELETES, RELEASE]);
    expect(requests[0]?.body).toEqual({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: { uid: `uid-${FOREIGN}` },
      propagationPolicy: 'Background',
    });
    expect(requests.at(-1)?.body).toEqual({
      metadata: { uid: 'u1', resourceVersion: '7', finalizers: ['example.org/audit', 'example.org/bill'] },
    });
    expect(events).toEqual([]);
  });

  it('does not delete again what is being deleted, and does not wait for it', async () => {
    const going = (object: KubeObject): KubeObject => ({
      ...object,
      metadata: { ...object.metadata, deletionTimestamp: DELETED },
    });
    const { finalizer, sent } = harness({ related: { bindings: BINDINGS.map(going), children: CHILDREN.map(going) } });
    expect(await finalizer.finalize(agent())).toEqual({ kind: 'released' });
    expect(sent()).toEqual([RELEASE]);
  });

  it.each([
    { title: 'a child is gone', key: `DELETE ${SERVICE_PATH}`, error: failure(404) },
    { title: 'a child was made again', key: `DELETE ${SERVICE_PATH}`, error: failure(409) },
    { title: 'a binding is gone', key: `DELETE ${FOREIGN_PATH}`, error: failure(404) },
  ])('goes on when $title', async ({ key, error }) => {
    const { finalizer, sent, events } = harness({ answers: { [key]: [error] } });
    expect(await finalizer.finalize(agent())).toEqual({ kind: 'released' });
    expect(sent()).toEqual([...ALL_DELETES, RELEASE]);
    expect(events).toEqual([]);
  });

  it('waits for the watch when a binding was made again, for its successor may be ours too', async () => {
    const { finalizer, sent, events } = harness({ answers: { [`DELETE ${FOREIGN_PATH}`]: [failure(409)] } });
    expect(await finalizer.finalize(agent())).toEqual({ kind: 'again', afterMs: 500 });
    expect(sent()).toEqual(ALL_DELETES);
    expect(events).toEqual([]);
  });

  it.each([failure(503), failure(429), new KubeConnectionError('reset')])(
    'is tried again, in silence, when a binding meets %s',
    async (error) => {
      const { finalizer, sent, events } = harness({ answers: { [`DELETE ${FOREIGN_PATH}`]: [error] } });
      await expect(finalizer.finalize(agent())).rejects.toBe(error);
      expect(sent()).toEqual(ALL_DELETES);
      expect(events).toEqual([]);
    },
  );

  describe('without the right to delete bindings', () => {
    const MESSAGE = `bindings cannot be deleted: ClusterRoleBinding ${CLUSTER} (403 R403: no), RoleBinding other/${FOREIGN} (403 R403: no)`;
    const answers = { [`DELETE ${FOREIGN_PATH}`]: [failure(403)], [`DELETE ${CLUSTER_PATH}`]: [failure(403)] };

    it('deletes the rest, says what is in the way, and holds for as long as it takes', async () => {
      const { finalizer, requests, sent, events } = harness({ answers, after: 10_000 });
      const former = [
        { type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime: CREATED },
        { type: 'Reconciling', status: 'False', reason: 'Ready', message: '', lastTransitionTime: CREATED },
        { type: 'PodReady', status: 'True', reason: 'PodRunning', message: '', lastTransitionTime: CREATED },
        { type: 'example.org/Seen', status: 'True', reason: 'Yes', message: '', lastTransitionTime: CREATED },
      ] as const;
      const result = await finalizer.finalize(agent({ status: { phase: 'Ready', conditions: former } }));
      expect(result).toEqual({ kind: 'again', afterMs: 5000 });
      expect(sent()).toEqual([...ALL_DELETES, `PATCH ${AGENT}/status`]);
      const shared = {
        reason: 'DeleteBlocked',
        message: MESSAGE,
        observedGeneration: 3,
        lastTransitionTime: '2026-05-01T12:46:40Z',
      };
      expect((requests.at(-1)?.body as { status: unknown }).status).toEqual({
        phase: 'Ready',
        conditions: [
          former[2],
          { type: 'Ready', status: 'False', ...shared },
          { type: 'Stalled', status: 'True', ...shared },
        ],
      });
      expect(events).toEqual([{ type: 'Warning', reason: 'DeleteBlocked', action: 'Finalize', note: MESSAGE }]);
    });

    it('writes the same status once', async () => {
      const shared = { reason: 'DeleteBlocked', message: MESSAGE, observedGeneration: 3, lastTransitionTime: DELETED };
      const conditions = [
        { type: 'Ready', status: 'False', ...shared },
        { type: 'Stalled', status: 'True', ...shared },
      ] as const;
      const { finalizer, sent } = harness({ answers, after: 60 });
      await finalizer.finalize(agent({ status: { phase: 'Ready', conditions } }));
      expect(sent()).toEqual(ALL_DELETES);
    });

    it('goes on when the status cannot be written either', async () => {
      const run = harness({ answers: { ...answers, [`PATCH ${AGENT}/status`]: [failure(409)] } });
      expect(await run.finalizer.finalize(agent())).toEqual({ kind: 'again', afterMs: 5000 });
    });

    it('lets go once the right is there', async () => {
      const once = { [`DELETE ${CLUSTER_PATH}`]: [failure(403), {}] };
      const { finalizer, sent } = harness({ answers: once });
      expect(await finalizer.finalize(agent())).toEqual({ kind: 'again', afterMs: 5000 });
      expect(await finalizer.finalize(agent())).toEqual({ kind: 'released' });
      expect(sent().at(-1)).toBe(RELEASE);
    });
  });

  describe('where bindings may not be read', () => {
    const namespace = 'other';
    const refused = [{ resource: RESOURCES.roleBindings, namespace, error: failure(403, 'not yours') }];
    const MESSAGE = 'bindings cannot be read: RoleBindings of namespace other (403 R403: not yours)';

    it('lets an agent go that has nothing to do with the namespace', async () => {
      const { finalizer, sent, events } = harness({ refused, related: { children: CHILDREN } });
      expect(await finalizer.finalize(agent())).toEqual({ kind: 'released' });
      expect(sent()).toEqual([`DELETE ${SERVICE_PATH}`, `DELETE ${ACCOUNT_PATH}`, RELEASE]);
      expect(events).toEqual([]);
    });

    it.each([
      {
        title: 'a binding of its spec lies there',
        setup: { refused, related: { children: CHILDREN } },
        spec: { rbac: { roleBindings: [{ namespace, roleRef: VIEW }] } },
        message: MESSAGE,
      },
      {
        title: 'a binding of it was seen there last',
        setup: { refused, live: [], related: { bindings: [binding(FOREIGN, namespace)], children: CHILDREN } },
        message: MESSAGE,
      },
      {
        title: 'it is its own namespace',
        setup: { refused: refused.map((scope) => ({ ...scope, namespace: 'lab' })), related: { children: CHILDREN } },
        message: MESSAGE.replace('other', 'lab'),
      },
      {
        title: 'it is every namespace',
        setup: {
          refused: refused.map(({ resource, error }) => ({ resource, error })),
          related: { children: CHILDREN },
        },
        message: MESSAGE.replace(' of namespace other', ''),
      },
    ])('holds it in plain sight when $title', async ({ setup, spec = {}, message }) => {
      const { finalizer, requests, sent, events } = harness(setup);
      expect(await finalizer.finalize(agent({ spec }))).toEqual({ kind: 'again', afterMs: 5000 });
      expect(sent()).toEqual([`DELETE ${SERVICE_PATH}`, `DELETE ${ACCOUNT_PATH}`, `PATCH ${AGENT}/status`]);
      const { conditions } = (requests.at(-1)?.body as { status: { conditions: readonly object[] } }).status;
      expect(conditions).toContainEqual(expect.objectContaining({ type: 'Stalled', status: 'True', message }));
      expect(events).toEqual([{ type: 'Warning', reason: 'DeleteBlocked', action: 'Finalize', note: message }]);
    });
  });

  describe('when something else than a binding cannot be deleted', () => {
    const answers = { [`DELETE ${SERVICE_PATH}`]: [failure(403, 'denied')] };

    it('tries for five minutes', async () => {
      const { finalizer, sent, events } = harness({ answers, after: 299 });
      expect(await finalizer.finalize(agent())).toEqual({ kind: 'again', afterMs: 5000 });
      expect(sent()).toEqual(ALL_DELETES);
      expect(events).toEqual([]);
    });

    it('then says what is left, and lets go', async () => {
      const { finalizer, sent, events } = harness({ answers, after: 300 });
      expect(await finalizer.finalize(agent())).toEqual({ kind: 'released' });
      expect(sent()).toEqual([...ALL_DELETES, RELEASE]);
      expect(events).toEqual([
        {
          type: 'Warning',
          reason: 'ChildrenKept',
          action: 'Finalize',
          note: 'given up: Service lab/hermes-mia (403 R403: denied)',
        },
      ]);
    });
  });

  it('leaves everything alone when the CRD is being deleted', async () => {
    const { finalizer, sent, events } = harness({ isCrdGoing: true });
    expect(await finalizer.finalize(agent())).toEqual({ kind: 'released' });
    expect(sent()).toEqual([RELEASE]);
    expect(events.map(({ reason }) => reason)).toEqual(['ChildrenKept']);
  });

  it('names the commands for bindings where it has no rights', async () => {
    const spec = {
      rbac: {
        roleBindings: [
          { namespace: 'lab', roleRef: VIEW },
          { namespace: 'other', roleRef: VIEW },
        ],
        clusterRoleBindings: [{ roleRef: VIEW }],
      },
    };
    const { finalizer, sent, events } = harness({ related: { children: CHILDREN }, namespaces: ['lab'] });
    expect(await finalizer.finalize(agent({ spec }))).toEqual({ kind: 'released' });
    expect(sent()).toEqual([`DELETE ${SERVICE_PATH}`, `DELETE ${ACCOUNT_PATH}`, RELEASE]);
    const selector = 'hermes-gitops.dev/agent=mia,hermes-gitops.dev/agent-namespace=lab';
    expect(events).toEqual([
      {
        type: 'Warning',
        reason: 'BindingsKept',
        action: 'Finalize',
        note:
          'bindings outside the watched namespaces are left; delete them with: ' +
          `kubectl delete clusterrolebindings -l ${selector}; kubectl delete rolebindings -n other -l ${selector}`,
      },
    ]);
  });

  it.each([
    {
      title: 'takes ours off the state that made a conflict, the others in order',
      live: agent({ finalizers: ['new', OURS, 'example.org/audit'], version: '9' }),
      patched: ['9', ['new', 'example.org/audit']],
    },
    { title: 'is done when somebody else took it off', live: agent({ finalizers: ['new'], version: '9' }) },
    { title: 'is done when the name belongs to the next agent', live: agent({ uid: 'u2', isDeleted: false }) },
    { title: 'is done when the agent is gone', live: failure(404) },
  ])('$title', async ({ live, patched }) => {
    const { finalizer, requests } = harness({
      related: {},
      answers: { [RELEASE]: [failure(409), {}], [`GET ${AGENT}`]: [live] },
    });
    expect(await finalizer.finalize(agent({ finalizers: ['example.org/audit', OURS] }))).toEqual({ kind: 'released' });
    const writes = requests
      .filter(({ method }) => method === 'PATCH')
      .map(({ body }) => body as { metadata: ObjectMeta });
    expect(writes.slice(1).map(({ metadata }) => [metadata.resourceVersion, metadata.finalizers])).toEqual(
      patched === undefined ? [] : [patched],
    );
  });

  it('is done when the agent went before it was let go', async () => {
    const { finalizer } = harness({ related: {}, answers: { [RELEASE]: [failure(404)] } });
    expect(await finalizer.finalize(agent())).toEqual({ kind: 'released' });
  });

  it.each([
    { error: failure(403, 'not yours'), notes: ['FinalizerNotRemoved: cannot be let go: 403 R403: not yours'] },
    { error: failure(503), notes: [] },
  ])('is tried again when letting go fails, and says so if it may not be: $error', async ({ error, notes }) => {
    const { finalizer, events } = harness({ related: {}, answers: { [RELEASE]: [error] } });
    await expect(finalizer.finalize(agent())).rejects.toBe(error);
    expect(events.map(({ reason, note }) => `${reason}: ${note}`)).toEqual(notes);
  });
});
