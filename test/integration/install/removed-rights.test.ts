import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { CONTROLLER_RULES } from '../../../charts/install/cluster-role.js';
import { LEASE_RULES } from '../../../charts/install/lease-role.js';
import { LEASE_NAME } from '../../../lib/api/identity.js';
import { CONTROLLER, CONTROLLER_USERNAME, SYSTEM_NAMESPACE } from '../../../charts/install/names.js';
import { createNamespace, describeOnBed, sharedBed } from '../../cluster/bed.js';
import { pathOf } from '../../cluster/client.js';
import { installSandboxCrd, removeSandboxCrd, SANDBOX_CRD_NAME } from '../../cluster/sandbox-crd.js';
import { eventually, waitFor } from '../../cluster/wait.js';
import { AgentsOnBed, bareAgent, conditionOf, describeObject } from '../../support/agents-on-bed.js';
import { hostController, type ControllerHost } from '../../support/controller-host.js';
import { fetchPage, type ControllerProcess } from '../../support/controller-process.js';
import { auditEnd, controllerRequests } from '../../support/controller-requests.js';
import { AFTER_A_FAULT, rightsOf, rulesWithout } from '../../support/granted-rights.js';
import { ARGO_MARK, RunsOnBed } from '../../support/runs-on-bed.js';
import { READER_ROLE, scrapeCodes, WHOLE_GATES, wholeAgent } from '../../support/whole-agent.js';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const LEASES = `/apis/coordination.k8s.io/v1/namespaces/${SYSTEM_NAMESPACE}/leases`;
const RIGHTS = [...new Set([...rightsOf(CONTROLLER_RULES), ...rightsOf(LEASE_RULES)])];
const ELECTION = ['--leader-elect', `--leader-election-namespace=${SYSTEM_NAMESPACE}`];

const AGENTS = 'hermes-gitops.dev/hermesagents';
const RUNS = 'hermes-gitops.dev/agentruns';
const CRDS = 'apiextensions.k8s.io/customresourcedefinitions';
const CRD = `get ${CRDS}`;

/** `list /pods` of `pods`. */
const resourceOf = (right: string): string => right.replace(/^.*\//, '');
const withVerb = (verb: string): readonly string[] =>
  RIGHTS.filter((right) => right.startsWith(`${verb} `) && !/\/(leases|events)$/.test(right));

/** Rights that are removed together, because what each is missed for can be told apart. */
interface Removal {
  readonly rights: readonly string[];
  /** What is seen to fail. */
  readonly effect: string;
  readonly flags?: readonly string[];
  /** Goes on until the failure is seen. */
  readonly see: (controller: ControllerProcess) => Promise<void>;
}

describeOnBed('the controller without one of its rights', () => {
  const bed = sharedBed();
  const { client, auditLog } = bed;
  let agents: AgentsOnBed;
  let runs: RunsOnBed;
  let host: ControllerHost;
  const missed = new Set<string>();
  let running: ControllerProcess | undefined;

  beforeAll(async () => {
    agents = new AgentsOnBed(client, await createNamespace(client, 'without'));
    runs = new RunsOnBed(client, agents.namespace);
    await installSandboxCrd(client);
    host = await hostController(bed, { ...WHOLE_GATES, isMeant: () => true });
    await agents.apply(wholeAgent('all', agents.namespace).beside);
  });
  afterEach(async () => {
    await running?.end('SIGKILL');
    await setRights(() => false);
    await client.delete(`${LEASES}/${LEASE_NAME}`);
  });
  afterAll(async () => {
    await host.stop();
    for (const { metadata } of await client.list(agents.path())) {
      await client.mergePatch(agents.path(metadata.name), { metadata: { finalizers: null } });
      await client.delete(agents.path(metadata.name));
    }
    for (const { metadata } of await client.list(runs.collection)) {
      await client.mergePatch(runs.path(metadata.name), { metadata: { finalizers: null } });
      await client.delete(runs.path(metadata.name));
    }
    await removeSandboxCrd(client);
    await client.delete(`${RBAC}/clusterroles/${READER_ROLE}`);
    for (const object of wholeAgent('all', agents.namespace).objects) {
      if (object.metadata.namespace === undefined) await client.delete(pathOf(object));
    }
  });

  /** Changes what the installed roles grant, and waits until the API server judges by it. */
  async function setRights(isRemoved: (right: string) => boolean): Promise<void> {
    const roles = [
      { path: `${RBAC}/clusterroles/${CONTROLLER}`, rules: CONTROLLER_RULES },
      { path: `${RBAC}/namespaces/${SYSTEM_NAMESPACE}/roles/${CONTROLLER}`, rules: LEASE_RULES },
    ];
    for (const { path, rules } of roles) await client.mergePatch(path, { rules: rulesWithout(rules, isRemoved) });
    await waitFor(
      async () =>
        (await Promise.all(RIGHTS.map(async (right) => (await may(right)) !== isRemoved(right)))).every(Boolean),
      {
        what: 'the API server to judge by the changed rules',
      },
    );
  }

  async function may(right: string): Promise<boolean> {
    const [, verb = '', group = '', resource = '', subresource] =
      /^(\w+) ([^/]*)\/([^/]+)(?:\/(.+))?$/.exec(right) ?? [];
    const name = resource === 'leases' && verb !== 'create' ? LEASE_NAME : undefined;
    const resourceAttributes = {
      verb,
      group,
      resource,
      ...(subresource !== undefined && { subresource }),
      ...(resource === 'leases' && { namespace: SYSTEM_NAMESPACE }),
      ...(right === CRD && { name: AGENTS.replace(/(.*)\/(.*)/, '$2.$1') }),
      ...(right !== CRD && right.endsWith(CRDS) && { name: SANDBOX_CRD_NAME }),
      ...(name !== undefined && { name }),
    };
    const { status } = await client.create('/apis/authorization.k8s.io/v1/subjectaccessreviews', {
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      spec: { user: CONTROLLER_USERNAME, resourceAttributes },
    });
    return (status as { allowed: boolean }).allowed;
  }

  async function watchErrors(controller: ControllerProcess, stage: string): Promise<readonly string[]> {
    const { body } = await fetchPage(controller.metricsUrl);
    const counted = /^hermes_gitops_watch_errors_total\{resource="([a-z]+)",stage="([a-z]+)"\} [1-9]/gm;
    return [...body.matchAll(counted)].filter(([, , of]) => of === stage).map(([, resource = '']) => resource);
  }

  async function seeWatchErrors(controller: ControllerProcess, verb: 'list' | 'watch'): Promise<void> {
    const want = withVerb(verb).map(resourceOf).sort();
    await eventually(async () => {
      expect([...(await watchErrors(controller, verb))].sort()).toEqual(want);
    });
  }

  const notes = async (reason: string): Promise<readonly string[]> =>
    (await client.list(`/apis/events.k8s.io/v1/namespaces/${agents.namespace}/events`))
      .filter((event) => event['reason'] === reason)
      .map((event) => String(event['note']));

  const seeLog = (controller: ControllerProcess, msg: string): Promise<unknown> =>
    waitFor(() => Promise.resolve(controller.log().some((line) => line['msg'] === msg)), { what: msg });

  const seeNoLeader = async (controller: ControllerProcess): Promise<void> => {
    await seeLog(controller, 'lease could not be read or written');
    const { body } = await fetchPage(controller.metricsUrl);
    expect(body).toContain('leader_election_master_status{name="hermes-gitops-controller"} 0\n');
  };

  const removals: readonly Removal[] = [
    {
      rights: withVerb('list'),
      effect: 'counts the failed lists, and is never ready',
      see: async (controller) => {
        await seeWatchErrors(controller, 'list');
        const { status, body } = await fetchPage(`${controller.healthUrl}/readyz`);
        expect([status, body]).toEqual([503, expect.stringContaining('not every resource has been read yet')]);
      },
    },
    {
      rights: withVerb('watch'),
      effect: 'counts the failed watches',
      see: (controller) => seeWatchErrors(controller, 'watch'),
    },
    {
      rights: withVerb('delete'),
      effect: 'leaves every child, and says of the bindings what is in the way',
      see: async () => {
        const { objects } = wholeAgent('all', agents.namespace);
        await agents.apply(objects);
        await runs.start('reaped', { spec: { ttlSecondsAfterFinished: 0 } });
        await runs.start('removed');
        await runs.startSandbox('boxed');
        await runs.reach('removed', 'Succeeded');
        await runs.reach('boxed', 'Pending');
        await client.delete(runs.path('removed'));
        await client.delete(runs.path('boxed'));
        await waitFor(async () => (await client.get(agents.path('all'))).metadata.finalizers?.length === 1);
        await client.delete(agents.path('all'));
        const status = await waitFor(async () => {
          const seen = await agents.status('all');
          return conditionOf(seen, 'Stalled')?.reason === 'DeleteBlocked' && seen;
        });
        expect(conditionOf(status, 'Stalled')?.message).toContain('cannot delete resource "clusterrolebindings"');
        const children = objects.slice(1);
        expect(await agents.left(children)).toEqual(children.map(describeObject));
      },
    },
    {
      rights: ['get /secrets', 'create events.k8s.io/events', 'create authentication.k8s.io/tokenreviews', CRD],
      effect: 'knows of no Secret, tells no event, lets nobody at the metrics',
      flags: ['--metrics-secure', '--log-level=debug'],
      see: async (controller) => {
        const env = [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'all', key: 'token' } } }];
        await client.create(agents.path(), bareAgent('blind', agents.namespace, { env }));
        const status = await agents.reach('blind', 'Provisioning');
        expect(conditionOf(status, 'SecretsResolved')).toMatchObject({ status: 'Unknown', reason: 'ReadFailed' });
        await seeLog(controller, 'event was not written');
        expect((await scrapeCodes(client, agents.namespace, controller.metricsUrl))['reader']).toBe(503);
        // Whether the whole kind goes is asked of every agent that goes; without an answer this one goes alone.
        await client.delete(agents.path('blind'));
        await agents.gone('blind');
      },
    },
    {
      rights: [`patch ${AGENTS}`, 'create authorization.k8s.io/subjectaccessreviews'],
      effect: 'holds no agent and says so, and lets nobody at the metrics',
      flags: ['--metrics-secure'],
      see: async (controller) => {
        await client.create(agents.path(), bareAgent('loose', agents.namespace, { suspend: true }));
        await agents.reach('loose', 'Suspended');
        await eventually(async () => {
          expect(await notes('FinalizerNotAdded')).toEqual([expect.stringContaining('cannot patch resource')]);
        });
        expect((await client.get(agents.path('loose'))).metadata.finalizers).toBeUndefined();
        expect((await scrapeCodes(client, agents.namespace, controller.metricsUrl))['reader']).toBe(503);
      },
    },
    {
      rights: [`patch ${AGENTS}/status`],
      effect: 'writes no status',
      see: async (controller) => {
        await client.create(agents.path(), bareAgent('mute', agents.namespace, { suspend: true }));
        await seeLog(controller, 'agent could not be updated');
        expect(await agents.status('mute')).toEqual({ observedGeneration: -1 });
      },
    },
    {
      rights: [`patch ${RUNS}`, 'list events.k8s.io/events'],
      effect: 'holds no run and says so, and deletes one after its TTL without knowing of those before',
      see: async () => {
        await runs.start('loose-run', { spec: { ttlSecondsAfterFinished: 0 } });
        await waitFor(async () => (await client.find(runs.path('loose-run'))) === undefined);
        expect(await runs.events('loose-run')).toContainEqual(expect.stringContaining('FinalizerNotAdded: '));
      },
    },
    {
      rights: [`patch ${RUNS}/status`],
      effect: 'writes no status of a run',
      see: async (controller) => {
        await runs.start('mute-run');
        await seeLog(controller, 'run could not be updated');
        expect(await runs.status('mute-run')).toEqual({ observedGeneration: -1 });
      },
    },
    {
      rights: ['patch batch/jobs', 'patch agents.x-k8s.io/sandboxes'],
      effect: 'stops no workload and says so',
      see: async () => {
        await runs.start('stuck', { pod: 'image-pull-back-off' });
        await runs.startSandbox('halted', { annotations: ARGO_MARK });
        await runs.reach('stuck', 'Failed');
        await runs.reach('halted', 'Pending');
        await client.delete(runs.path('halted'));
        await eventually(async () => {
          expect(await runs.events('stuck')).toContainEqual(
            expect.stringContaining('StopFailed: Job hermes-run-stuck'),
          );
        });
      },
    },
    ...['get', 'create'].map((verb): Removal => ({
      rights: [`${verb} coordination.k8s.io/leases`],
      effect: 'never leads',
      flags: ELECTION,
      see: seeNoLeader,
    })),
    {
      rights: ['update coordination.k8s.io/leases'],
      effect: 'never leads where somebody has led before',
      flags: ELECTION,
      see: seeNoLeader,
    },
  ];

  it.each(removals)('$effect: $rights', async ({ rights, flags = [], see }) => {
    await setRights((right) => rights.includes(right));
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: LEASE_NAME }, spec: {} };
    if (rights.some((right) => right === 'update coordination.k8s.io/leases')) await client.create(LEASES, lease);
    const since = auditEnd(auditLog);
    running = await host.start(flags);
    await see(running);
    await eventually(async () => {
      await Promise.resolve();
      const refused = controllerRequests(auditLog, since).filter(({ isForbidden }) => isForbidden);
      expect([...new Set(refused.map(({ right }) => right))].sort()).toEqual([...rights].sort());
    });
    for (const right of rights) missed.add(right);
  });

  it('has been without each of them by now, but for those that only a fault makes use of', () => {
    expect([...missed].sort()).toEqual(RIGHTS.filter((right) => AFTER_A_FAULT[right] === undefined).sort());
  });
});
