import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { renderAgent } from '../../../lib/children/render-agent.js';
import { readFleet } from '../../../lib/fleet/read-fleet.js';
import { isDigestOnly, type ObjectIdentity, type Plan, type PlannedObject } from '../../../lib/plan/compare.js';
import { planAgainstCluster, type ClusterPlan } from '../../../cli/plan/cluster.js';
import { createNamespace, describeOnBed, serviceAccountToken, sharedBed } from '../../cluster/bed.js';
import { collectionOf, type KubeManifest } from '../../cluster/client.js';
import { installCrds } from '../../cluster/install-crds.js';
import { waitFor } from '../../cluster/wait.js';

/** The agent of a test; `spec` is YAML for `spec`, two spaces deep. */
function rendered(name: string, namespace: string, spec: string): readonly PlannedObject[] {
  const text = `apiVersion: hermes-gitops.dev/v1alpha1
kind: HermesAgent
metadata: {name: ${name}, namespace: ${namespace}}
spec:
${spec}`;
  const { agents, problems } = readFleet([{ name: 'agent.yaml', bytes: Buffer.from(text) }], {
    allowedClusterRoles: [],
    allowedBindingNamespaces: [],
    flux: false,
  });
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  return agents.flatMap(({ agent }) => renderAgent(agent));
}

const CLAIM = `  storage:
    persistentVolumeClaim:
      accessModes: [ReadWriteOnce]
      storageClassName: standard
      resources: {requests: {storage: 5Gi}}
`;
const ENV = `  env: [{name: A, value: "1"}, {name: B, value: "2"}]
`;
const BASE = `  image: registry.example.net/hermes:v1
${ENV}${CLAIM}`;

const names = (objects: readonly ObjectIdentity[]): string[] => objects.map(({ kind, name }) => `${kind} ${name}`);
const changes = ({ changed }: Plan): string[] =>
  changed
    .filter((change) => !isDigestOnly(change))
    .flatMap(({ object, differences }) => differences.map(({ path }) => `${object.kind}: ${path}`))
    .filter((line) => !line.includes('spec-digest'));
const effects = ({ restarts }: Plan): string[] =>
  restarts.map(
    ({ agent, effect, reason, because }) => `${effect} ${agent}: ${because.map(({ path }) => path).join() || reason}`,
  );

const ALL_CHILDREN = [
  'Deployment hermes-mia',
  'HermesAgent mia',
  'PersistentVolumeClaim hermes-mia-data',
  'Role hermes-mia-self',
  'RoleBinding hermes-mia-self',
  'Service hermes-mia',
  'ServiceAccount hermes-mia',
];

describeOnBed('a plan against the cluster', () => {
  const { client, kubeconfig } = sharedBed();
  let namespace = '';

  beforeAll(async () => {
    await installCrds(client);
  });

  const plan = (objects: readonly PlannedObject[], prune = false): Promise<ClusterPlan> =>
    planAgainstCluster(objects, { kubeconfig, prune });

  async function apply(objects: readonly PlannedObject[], fieldManager: string): Promise<void> {
    for (const object of objects) await client.apply(object, { fieldManager, force: true });
    await waitFor(async () => {
      const { status } = await client.get(`/apis/apps/v1/namespaces/${namespace}/deployments/hermes-mia`);
      return status.observedGeneration !== undefined;
    });
  }

  it('cannot ask about a namespace that does not exist, and says so without failing', async () => {
    const { plan: result } = await plan(rendered('mia', 'plan-not-there', BASE));
    expect(names(result.created)).toEqual(ALL_CHILDREN);
    expect(new Set(result.refused.map(({ message, certain }) => `${String(certain)} ${message}`))).toEqual(
      new Set(['false namespace plan-not-there does not exist yet, so the API server could not be asked']),
    );
  });

  describe('of an agent that was applied', () => {
    beforeAll(async () => {
      namespace = await createNamespace(client, 'plan');
      const { plan: first } = await plan(rendered('mia', namespace, BASE));
      expect([names(first.created), first.refused, effects(first)]).toEqual([ALL_CHILDREN, [], ['start mia: created']]);
      await apply(rendered('mia', namespace, BASE), 'kustomize-controller');
    });

    it('sees nothing to do right after it', async () => {
      const { plan: result, notes } = await plan(rendered('mia', namespace, BASE));
      expect({ ...result, notes }).toEqual({
        created: [],
        changed: [],
        deleted: [],
        kept: [],
        restarts: [],
        refused: [],
        notes: [],
      });
    });

    it.each<[string, string, string[], string[]]>([
      [
        'another image',
        BASE.replace(':v1', ':v2'),
        ['Deployment: spec.template.spec.containers[hermes].image', 'HermesAgent: spec.image'],
        ['restart mia: spec.containers[hermes].image'],
      ],
      [
        'a variable less, which only the owner of the field lets go of',
        BASE.replace(', {name: B, value: "2"}', ''),
        ['Deployment: spec.template.spec.containers[hermes].env[B]', 'HermesAgent: spec.env[B]'],
        ['restart mia: spec.containers[hermes].env[B]'],
      ],
      [
        'suspension',
        `${BASE}  suspend: true\n`,
        ['Deployment: spec.replicas', 'HermesAgent: spec.suspend'],
        ['stop mia: suspended'],
      ],
      [
        'models, which no pod knows',
        `${BASE}  llmProviders: [{name: x, models: [m]}]\n`,
        ['HermesAgent: spec.llmProviders'],
        [],
      ],
    ])('sees %s', async (_, spec, wantChanges, wantEffects) => {
      const { plan: result } = await plan(rendered('mia', namespace, spec));
      expect([changes(result), effects(result), result.refused]).toEqual([wantChanges, wantEffects, []]);
    });

    it.each<[string, string, string, string]>([
      [
        'a claim that shrinks',
        BASE.replace('5Gi', '1Gi'),
        'spec.resources.requests.storage',
        'a claim cannot shrink from 5Gi to 1Gi',
      ],
      [
        'another storage class',
        BASE.replace('standard', 'fast'),
        'spec.storageClassName',
        'cannot be changed once the claim exists; move the data to a new claim and use existingClaimName',
      ],
    ])('hears that %s is refused', async (_, spec, path, message) => {
      const { plan: result } = await plan(rendered('mia', namespace, spec));
      expect(result.refused).toEqual([
        {
          object: { group: '', kind: 'PersistentVolumeClaim', namespace, name: 'hermes-mia-data' },
          path,
          message,
          certain: true,
          answer: expect.stringMatching(
            /^PersistentVolumeClaim "hermes-mia-data" is invalid: spec: Forbidden/,
          ) as string,
        },
      ]);
    });

    it('tells what is not rendered any more from what other agents have', async () => {
      const existing = BASE.replace(CLAIM, '  storage: {existingClaimName: home}\n  serviceAccountName: own\n');
      const { plan: result } = await plan(rendered('mia', namespace, existing));
      expect([names(result.deleted), names(result.kept)]).toEqual([
        ['Role hermes-mia-self', 'RoleBinding hermes-mia-self', 'ServiceAccount hermes-mia'],
        ['PersistentVolumeClaim hermes-mia-data'],
      ]);
    });

    it('counts agents that are not in the inputs only when asked to', async () => {
      const other = rendered('zoe', namespace, BASE);
      const { plan: result, notes } = await plan(other);
      expect([result.deleted, effects(result), notes]).toEqual([
        [],
        ['start zoe: created'],
        [`${namespace}/mia is in the cluster and not in the inputs; --prune counts it as deleted`],
      ]);
      const { plan: pruned } = await plan(other, true);
      const here = (objects: readonly ObjectIdentity[]): string[] =>
        names(objects.filter((object) => object.namespace === namespace));
      expect([here(pruned.deleted), here(pruned.kept)]).toEqual([
        ALL_CHILDREN.filter((name) => !name.startsWith('PersistentVolumeClaim')),
        ['PersistentVolumeClaim hermes-mia-data'],
      ]);
      expect(effects(pruned)).toEqual(expect.arrayContaining(['start zoe: created', 'stop mia: deleted']));
    });

    it('hears that a Deployment with another selector is in the way, and restarts nothing for it', async () => {
      const foreign = await createNamespace(client, 'plan-foreign');
      await client.apply({
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'hermes-mia', namespace: foreign },
        spec: {
          replicas: 0,
          selector: { matchLabels: { app: 'hermes' } },
          template: {
            metadata: { labels: { app: 'hermes' } },
            spec: { containers: [{ name: 'hermes', image: 'registry.example.net/hermes:v0' }] },
          },
        },
      });
      const { plan: result } = await plan(rendered('mia', foreign, BASE));
      expect(result.refused.map(({ object, path, certain }) => `${object.kind} ${path} ${String(certain)}`)).toEqual([
        'Deployment spec.selector.matchLabels.app true',
        'Deployment spec.selector.matchLabels["hermes-gitops.dev/agent"] true',
        'Deployment spec.selector.matchLabels["hermes-gitops.dev/component"] true',
      ]);
      expect([changes(result), effects(result)]).toEqual([[], []]);
    });

    it('needs the rights of an engine, and says so', async () => {
      await client.create(`/api/v1/namespaces/${namespace}/serviceaccounts`, {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'nobody' },
      });
      const folder = mkdtempSync(join(tmpdir(), 'hermes-plan-'));
      const token = await serviceAccountToken(client, namespace, 'nobody');
      const config = parse(readFileSync(kubeconfig, 'utf8')) as { users: { name: string; user: unknown }[] };
      const users = config.users.map(({ name }) => ({ name, user: { token } }));
      writeFileSync(join(folder, 'config'), JSON.stringify({ ...config, users }));
      const attempt = planAgainstCluster(rendered('mia', namespace, BASE), {
        kubeconfig: join(folder, 'config'),
        prune: false,
      });
      await expect(attempt).rejects.toThrow(/^cluster: 403 Forbidden: .* cannot get resource/);
      rmSync(folder, { recursive: true });
    });
  });

  it('sees what a client-side apply would take away', async () => {
    namespace = await createNamespace(client, 'plan-client-side');
    for (const object of rendered('mia', namespace, BASE)) {
      const annotations = {
        ...object.metadata.annotations,
        'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(object),
      };
      const manifest = { ...object, metadata: { ...object.metadata, annotations } } as unknown as KubeManifest;
      await client.create(collectionOf(manifest), manifest);
    }
    const { plan: same } = await plan(rendered('mia', namespace, BASE));
    expect([changes(same), same.refused]).toEqual([[], []]);
    const spec = BASE.replace(', {name: B, value: "2"}', '');
    const { plan: result } = await plan(rendered('mia', namespace, spec));
    expect([changes(result), effects(result)]).toEqual([
      ['Deployment: spec.template.spec.containers[hermes].env[B]', 'HermesAgent: spec.env[B]'],
      ['restart mia: spec.containers[hermes].env[B]'],
    ]);
  });
});
