import { afterAll, beforeAll, expect, it } from 'vitest';
import { CONTROLLER_RULES } from '../../../charts/install/cluster-role.js';
import { LEASE_RULES } from '../../../charts/install/lease-role.js';
import { SYSTEM_NAMESPACE } from '../../../charts/install/names.js';
import { createNamespace, describeOnBed, provisionVolumes, sharedBed } from '../../cluster/bed.js';
import { pathOf } from '../../cluster/client.js';
import { installSandboxCrd, removeSandboxCrd } from '../../cluster/sandbox-crd.js';
import { eventually, waitFor } from '../../cluster/wait.js';
import { AgentsOnBed } from '../../support/agents-on-bed.js';
import { hostController, type ControllerHost } from '../../support/controller-host.js';
import type { ControllerProcess } from '../../support/controller-process.js';
import { auditEnd, controllerRequests } from '../../support/controller-requests.js';
import { AFTER_A_FAULT, rightsOf } from '../../support/granted-rights.js';
import { READER_ROLE, scrapeCodes, WHOLE_GATES, wholeAgent } from '../../support/whole-agent.js';
import { useEveryRightForRuns } from '../../support/whole-runs.js';

describeOnBed('the rights of the controller', () => {
  const bed = sharedBed();
  const { client, auditLog } = bed;
  const since = auditEnd(auditLog);
  let agents: AgentsOnBed;
  let host: ControllerHost;
  let controller: ControllerProcess;
  let stopVolumes: () => Promise<void>;

  beforeAll(async () => {
    agents = new AgentsOnBed(client, await createNamespace(client, 'rights'));
    stopVolumes = provisionVolumes(client);
    await installSandboxCrd(client);
    host = await hostController(bed, WHOLE_GATES);
    const election = ['--leader-elect', `--leader-election-namespace=${SYSTEM_NAMESPACE}`];
    controller = await host.start([...election, '--metrics-secure']);
  });
  afterAll(async () => {
    await stopVolumes();
    await host.stop();
    await client.delete(`/apis/rbac.authorization.k8s.io/v1/clusterroles/${READER_ROLE}`);
    await removeSandboxCrd(client);
  });

  it('are all used and are enough, from the first list to the last delete', async () => {
    await useEveryRightForRuns(client, agents.namespace);
    const { beside, objects } = wholeAgent('all', agents.namespace);
    await agents.apply([...beside, ...objects]);
    await waitFor(
      async () => {
        const { metadata, status } = await client.get(agents.path('all'));
        return (metadata.finalizers ?? []).length > 0 && status?.observedGeneration === metadata.generation;
      },
      { what: 'a status' },
    );
    expect(await scrapeCodes(client, agents.namespace, controller.metricsUrl)).toEqual({
      anonymous: 401,
      stranger: 403,
      reader: 200,
    });
    await client.delete(agents.path('all'));
    await waitFor(
      async () => {
        const left = await Promise.all(objects.map((object) => client.find(pathOf(object))));
        return left.every((object) => object === undefined || object.metadata.deletionTimestamp !== undefined);
      },
      { what: 'every child to go' },
    );

    const rights = [...rightsOf(CONTROLLER_RULES), ...rightsOf(LEASE_RULES)];
    const wanted = new Set(rights.filter((right) => AFTER_A_FAULT[right] === undefined));
    await eventually(async () => {
      await Promise.resolve();
      const requests = controllerRequests(auditLog, since);
      expect(requests.filter(({ isForbidden }) => isForbidden).map(({ right }) => right)).toEqual([]);
      const used = new Set(requests.filter(({ resource }) => resource !== '').map(({ right }) => right));
      const regular = [...used].filter((right) => AFTER_A_FAULT[right] === undefined);
      expect(regular.sort()).toEqual([...wanted].sort());
    });
    expect(rights).toEqual(expect.arrayContaining(Object.keys(AFTER_A_FAULT)));
  });
});
