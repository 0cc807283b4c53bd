import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CONTROLLER_RULES, type PolicyRule } from '../../../charts/install/cluster-role.js';
import { LEASE_RULES } from '../../../charts/install/lease-role.js';
import { renderAgent } from '../../../lib/children/render-agent.js';
import { validateAgent } from '../../../lib/validation/validate-agent.js';
import { createNamespace, describeOnBed, provisionVolumes, serviceAccountToken, sharedBed } from '../../cluster/bed.js';
import { type KubeManifest, pathOf } from '../../cluster/client.js';
import { installCrds } from '../../cluster/install-crds.js';
import { eventually, waitFor } from '../../cluster/wait.js';
import { buildController, startController, type ControllerProcess } from '../../support/controller-process.js';
import { applyInstallSet, removeInstallSet } from '../../support/install-set.js';

const SYSTEM = 'hermes-gitops-system';
const USERNAME = `system:serviceaccount:${SYSTEM}:gitops-controller`;
const GATES = { allowedClusterRoles: ['rights-reader'], allowedBindingNamespaces: [] };

/** Rights that only a fault makes use of, each with that fault. */
const AFTER_A_FAULT: Readonly<Record<string, string>> = {
  'get hermes-gitops.dev/hermesagents': 'a write that meets a conflict reads the agent again',
};

interface AuditLine {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: { readonly apiGroup?: string; readonly resource: string; readonly subresource?: string };
  readonly responseStatus?: { readonly code: number; readonly message?: string };
}

/** `verb group/resource`, as rules grant it and as the audit log tells it. */
function granted(rules: readonly PolicyRule[]): readonly string[] {
  return rules.flatMap(({ apiGroups, resources, verbs }) =>
    resources.flatMap((resource) => verbs.map((verb) => `${verb} ${apiGroups.join()}/${resource}`)),
  );
}

function asked({ verb, objectRef }: AuditLine): string {
  const { apiGroup = '', resource = '', subresource } = objectRef ?? {};
  return `${verb} ${apiGroup}/${resource}${subresource === undefined ? '' : `/${subresource}`}`;
}

describeOnBed('the rights of the controller', () => {
  const { client, server, ca, auditLog } = sharedBed();
  const folder = mkdtempSync(join(tmpdir(), 'hermes-rights-'));
  let namespace: string;
  let bundle: Awaited<ReturnType<typeof buildController>>;
  let controller: ControllerProcess;
  let stopVolumes: () => Promise<void>;

  async function auditLines(): Promise<readonly AuditLine[]> {
    const lines = (await readFile(auditLog, 'utf8')).split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as AuditLine).filter(({ user }) => user.username === USERNAME);
  }

  async function kubeconfig(): Promise<string> {
    const path = join(folder, 'kubeconfig');
    const cluster = { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') };
    const content = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'bed', cluster }],
      users: [{ name: 'controller', user: { token: await serviceAccountToken(client, SYSTEM, 'gitops-controller') } }],
      contexts: [{ name: 'bed', context: { cluster: 'bed', user: 'controller' } }],
      'current-context': 'bed',
    };
    writeFileSync(path, JSON.stringify(content));
    return path;
  }

  beforeAll(async () => {
    await applyInstallSet(client, GATES);
    await installCrds(client);
    namespace = await createNamespace(client, 'rights');
    stopVolumes = provisionVolumes(client);
    bundle = await buildController();
    controller = await startController(bundle.path, [
      `--kubeconfig=${await kubeconfig()}`,
      '--leader-elect',
      `--leader-election-namespace=${SYSTEM}`,
      '--allowed-cluster-roles=rights-reader',
    ]);
  });
  afterAll(async () => {
    await controller.end('SIGTERM');
    await stopVolumes();
    bundle.remove();
    rmSync(folder, { recursive: true });
    await client.delete('/apis/rbac.authorization.k8s.io/v1/clusterroles/rights-reader');
    await removeInstallSet(client);
  });

  /** An agent with every child that there is. */
  function manifests(): readonly KubeManifest[] {
    const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole' };
    const { agent, problems } = validateAgent(
      {
        apiVersion: 'hermes-gitops.dev/v1alpha1',
        kind: 'HermesAgent',
        metadata: { name: 'all', namespace },
        spec: {
          image: 'registry.example.net/hermes:v1',
          storage: { persistentVolumeClaim: claim, retainPolicy: 'Delete' },
          env: [{ name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'all', key: 'token' } } }],
          dashboard: { enabled: true, ingress: { enabled: true, host: 'all.example.net', ingressClassName: 'any' } },
          networkPolicy: { enabled: true, policyTypes: ['Egress'], egress: [{}] },
          rbac: {
            roleBindings: [{ namespace, roleRef: { ...roleRef, name: 'view' } }],
            clusterRoleBindings: [{ roleRef: { ...roleRef, name: 'rights-reader' } }],
          },
        },
      },
      GATES,
    );
    if (agent === undefined) throw new Error(JSON.stringify(problems));
    return renderAgent(agent) as unknown as readonly KubeManifest[];
  }

  const find = (manifest: KubeManifest): Promise<KubeManifest | undefined> => client.find(pathOf(manifest));

  it('are all used and are enough, from the first list to the last delete', async () => {
    await client.apply({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'rights-reader' },
      rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['get'] }],
    });
    await client.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'all', namespace },
      stringData: { token: 'x' },
    });
    const objects = manifests();
    for (const object of objects) await client.apply(object);
    const agent = objects.find(({ kind }) => kind === 'HermesAgent');
    if (agent === undefined) throw new Error('no agent was rendered');
    await waitFor(
      async () => {
        const { metadata, status } = (await find(agent)) ?? agent;
        return (metadata.finalizers ?? []).length > 0 && status?.observedGeneration === metadata.generation;
      },
      { what: 'a status' },
    );
    expect(await scrape(controller.metricsUrl)).toEqual({ anonymous: 401, stranger: 403, reader: 200 });
    await client.delete(pathOf(agent));
    await waitFor(
      async () => {
        const left = await Promise.all(objects.map(find));
        return left.every((object) => object === undefined || object.metadata.deletionTimestamp !== undefined);
      },
      { what: 'every child to go' },
    );

    const grants = [...granted(CONTROLLER_RULES), ...granted(LEASE_RULES)];
    const wanted = grants.filter((grant) => AFTER_A_FAULT[grant] === undefined);
    await eventually(async () => {
      const lines = await auditLines();
      expect(lines.filter(({ responseStatus }) => responseStatus?.code === 403).map(asked)).toEqual([]);
      const used = new Set(lines.filter(({ objectRef }) => objectRef !== undefined).map(asked));
      const regular = [...used].filter((grant) => AFTER_A_FAULT[grant] === undefined);
      expect(regular.sort()).toEqual([...new Set(wanted)].sort());
    });
    expect(grants).toEqual(expect.arrayContaining(Object.keys(AFTER_A_FAULT)));
  });

  /** What the metrics answer to nobody, to an account without the right, and to one with it. */
  async function scrape(url: string): Promise<Readonly<Record<string, number>>> {
    const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
    for (const name of ['stranger', 'reader']) {
      await client.create(accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name } });
    }
    const binding: KubeManifest = {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: `reader-${namespace}` },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'hermes-gitops-metrics-reader' },
      subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace }],
    };
    await client.apply(binding);
    try {
      const secure = url.replace('http:', 'https:');
      return {
        anonymous: await statusCode(secure),
        stranger: await statusCode(secure, await serviceAccountToken(client, namespace, 'stranger')),
        reader: await statusCode(secure, await serviceAccountToken(client, namespace, 'reader')),
      };
    } finally {
      await client.delete(pathOf(binding));
    }
  }
});

/** The certificate is the controller's own, made at its start. */
function statusCode(url: string, token?: string): Promise<number> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    https
      .get(url, { agent: false, rejectUnauthorized: false, headers }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      })
      .on('error', reject);
  });
}
