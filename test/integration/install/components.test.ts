import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { App } from 'cdk8s';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { CONTROLLER_SUBJECT } from '../../../charts/install/cluster-role-binding.js';
import { NAMESPACED_RULES, UNAVOIDABLE_CLUSTER_RULES } from '../../../charts/install/cluster-role.js';
import { agentHealth, runHealth } from '../../../charts/install/components/argocd-health.js';
import { installFiles } from '../../../charts/install/install-files.js';
import { describeOnBed, sharedBed } from '../../cluster/bed.js';
import type { KubeManifest } from '../../cluster/client.js';
import { installObjects } from '../../support/install-set.js';

const ARGOCD_CM = `apiVersion: v1
kind: ConfigMap
metadata: { name: argocd-cm, namespace: argocd }
data: { url: https://argocd.example.net }
`;

describeOnBed('the components of the install set', () => {
  const { binaries } = sharedBed();
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hermes-install-'));
    for (const [path, text] of installFiles(new App(), { image: 'registry.example.net/controller:v1' })) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    writeFileSync(join(folder, 'argocd-cm.yaml'), ARGOCD_CM);
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  function build(kustomization: object): readonly KubeManifest[] {
    writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization));
    const output = execFileSync(binaries['kubectl'] ?? '', ['kustomize', folder], { encoding: 'utf8' });
    return parseAllDocuments(output).map((document) => document.toJS() as KubeManifest);
  }

  const identity = ({ kind, metadata }: KubeManifest): string => `${kind} ${metadata.name}`;
  const pick = (objects: readonly KubeManifest[], wanted: string): KubeManifest | undefined =>
    objects.find((object) => identity(object) === wanted);

  it('is a base of one object a file, and no object twice', () => {
    const objects = build({ resources: ['base'] });
    const files = [...installFiles(new App()).keys()].filter((path) => path.startsWith('base/'));
    expect(objects).toHaveLength(files.filter((path) => !path.endsWith('kustomization.yaml')).length);
    expect(new Set(objects.map(identity)).size).toBe(objects.length);
  });

  it('takes image and tag as one setting of kustomize too', () => {
    const images = [{ name: 'registry.example.net/controller', newName: 'registry.example.net/mirror', newTag: 'v2' }];
    const deployment = pick(build({ resources: ['base'], images }), 'Deployment hermes-gitops-controller');
    expect(deployment?.['spec'].template.spec.containers[0].image).toBe('registry.example.net/mirror:v2');
  });

  const variables = (objects: readonly KubeManifest[]): Readonly<Record<string, string>> => {
    const [container] = pick(objects, 'Deployment hermes-gitops-controller')?.['spec'].template.spec.containers;
    return Object.fromEntries(container.env.map(({ name, value }: Record<string, string>) => [name, value]));
  };

  const settings = (data: object): object => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'hermes-gitops-settings', annotations: { 'config.kubernetes.io/local-config': 'true' } },
    data,
  });

  it('takes the lists of what agents may be bound to from one place, to the same effect as rendering them in', () => {
    const lists = { allowedClusterRoles: ['node-reader', 'lister'], allowedBindingNamespaces: ['tools'] };
    const data = { allowedClusterRoles: 'node-reader,lister', allowedBindingNamespaces: 'tools' };
    writeFileSync(join(folder, 'settings.yaml'), JSON.stringify(settings(data)));
    const objects = build({ resources: ['base', 'settings.yaml'], components: ['components/binding-lists'] });
    const rendered = installObjects({ ...lists, image: 'registry.example.net/controller:v1' });
    const built = new Map(objects.map((object) => [identity(object), object]));
    expect(built.size).toBe(rendered.size);
    for (const object of rendered.values()) expect(built.get(identity(object))).toEqual(object);
  });

  it('keeps the controller to namespaces, with a Role in each and nothing cluster-wide that can be spared', () => {
    writeFileSync(join(folder, 'settings.yaml'), JSON.stringify(settings({ namespaces: 'team-a,team-b' })));
    for (const namespace of ['team-a', 'team-b']) {
      mkdirSync(join(folder, namespace), { recursive: true });
      const kustomization = { namespace, resources: ['../namespace'] };
      writeFileSync(join(folder, namespace, 'kustomization.yaml'), JSON.stringify(kustomization));
    }
    const objects = build({
      resources: ['base', 'settings.yaml', 'team-a', 'team-b'],
      components: ['components/namespaced'],
    });
    const deployment = pick(objects, 'Deployment hermes-gitops-controller');
    expect(deployment?.['spec'].template.spec.containers[0].args.at(-1)).toBe('--namespaces=$(WATCHED_NAMESPACES)');
    expect(variables(objects)).toEqual({ WATCHED_NAMESPACES: 'team-a,team-b' });
    expect(pick(objects, 'ClusterRole hermes-gitops-controller')?.['rules']).toEqual(UNAVOIDABLE_CLUSTER_RULES);
    const roles = objects.filter((object) => identity(object) === 'Role hermes-gitops-controller');
    const rulesOf = (namespace: string): unknown =>
      roles.find(({ metadata }) => metadata.namespace === namespace)?.['rules'];
    expect(rulesOf('team-a')).toEqual(NAMESPACED_RULES);
    expect(rulesOf('team-b')).toEqual(NAMESPACED_RULES);
    const bindings = objects.filter((object) => identity(object) === 'RoleBinding hermes-gitops-controller');
    expect(bindings.map(({ metadata, subjects }) => [metadata.namespace, subjects])).toEqual(
      ['hermes-gitops-system', 'team-a', 'team-b'].map((namespace) => [namespace, [CONTROLLER_SUBJECT]]),
    );
  });

  it('adds the right and the flag for probing through the API server', () => {
    const objects = build({ resources: ['base'], components: ['components/probe-via-apiserver'] });
    const deployment = pick(objects, 'Deployment hermes-gitops-controller');
    expect(deployment?.['spec'].template.spec.containers[0].args.at(-1)).toBe('--probe-via-apiserver');
    expect(pick(objects, 'ClusterRole hermes-gitops-probe-via-apiserver')?.['rules']).toEqual([
      { apiGroups: [''], resources: ['pods/proxy'], verbs: ['get'] },
    ]);
    expect(pick(objects, 'ClusterRoleBinding hermes-gitops-probe-via-apiserver')?.['subjects']).toEqual([
      { kind: 'ServiceAccount', name: 'gitops-controller', namespace: 'hermes-gitops-system' },
    ]);
  });

  it('keeps the namespace from the pruning of Flux', () => {
    const objects = build({ resources: ['base'], components: ['components/flux'] });
    expect(pick(objects, 'Namespace hermes-gitops-system')?.metadata.annotations).toEqual({
      'kustomize.toolkit.fluxcd.io/prune': 'disabled',
    });
  });

  it('adds health to the settings of Argo CD and leaves the others', () => {
    const objects = build({ resources: ['base', 'argocd-cm.yaml'], components: ['components/argocd'] });
    expect(pick(objects, 'ConfigMap argocd-cm')?.['data']).toEqual({
      url: 'https://argocd.example.net',
      'resource.customizations.health.hermes-gitops.dev_HermesAgent': agentHealth,
      'resource.customizations.health.hermes-gitops.dev_AgentRun': runHealth,
    });
  });
});

/** Whoever has no Go is told and goes on; a machine that guards the main branch has to have it. */
const withoutGo = spawnSync('go', ['version']).status !== 0 && process.env['CI'] === undefined;
if (withoutGo) console.warn('no Go here: the health scripts for Argo CD are NOT tested');

interface Health {
  readonly status?: string;
  readonly message?: string;
  readonly error?: string;
}

const WAITING = 'waiting for the controller';
const ready = { type: 'Ready', status: 'True', message: 'all is well' };
const other = { type: 'PodReady', status: 'True', message: 'of the pod' };

const settled = (phase: string): object => ({ observedGeneration: 2, phase, conditions: [other, ready] });

const AGENT_ROWS: readonly (readonly [string, object | undefined, Health])[] = [
  ['no status', undefined, { status: 'Progressing', message: WAITING }],
  ['a status that nobody wrote', { observedGeneration: -1 }, { status: 'Progressing', message: WAITING }],
  ['no observedGeneration', { phase: 'Ready' }, { status: 'Progressing', message: WAITING }],
  ['an older generation', { ...settled('Ready'), observedGeneration: 1 }, { status: 'Progressing', message: WAITING }],
  ['no conditions', { observedGeneration: 2, phase: 'Degraded' }, { status: 'Degraded', message: WAITING }],
  ['no phase', { observedGeneration: 2, conditions: [ready] }, { status: 'Progressing', message: 'all is well' }],
  ['a phase of later', settled('Dreaming'), { status: 'Progressing', message: 'all is well' }],
  ['Bootstrap', settled('Bootstrap'), { status: 'Progressing', message: 'all is well' }],
  ['Provisioning', settled('Provisioning'), { status: 'Progressing', message: 'all is well' }],
  ['Ready', settled('Ready'), { status: 'Healthy', message: 'all is well' }],
  ['Degraded', settled('Degraded'), { status: 'Degraded', message: 'all is well' }],
  ['Suspended', settled('Suspended'), { status: 'Suspended', message: 'all is well' }],
];

const RUN_ROWS: readonly (readonly [string, object | undefined, Health])[] = [
  ['no status', undefined, { status: 'Progressing', message: WAITING }],
  ['an older generation', { ...settled('Failed'), observedGeneration: 1 }, { status: 'Progressing', message: WAITING }],
  ['Pending', settled('Pending'), { status: 'Progressing', message: 'all is well' }],
  ['Running', settled('Running'), { status: 'Progressing', message: 'all is well' }],
  ['Succeeded', settled('Succeeded'), { status: 'Healthy', message: 'all is well' }],
  ['Failed', settled('Failed'), { status: 'Degraded', message: 'all is well' }],
];

describe.skipIf(withoutGo)('health in the Lua of Argo CD', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hermes-lua-'));
  const program = join(folder, 'lua-health');

  beforeAll(() => {
    execFileSync('go', ['build', '-o', program, '.'], { cwd: join(import.meta.dirname, 'lua-health') });
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  function health(script: string, status: object | undefined): Health {
    const input = JSON.stringify([{ script, object: { metadata: { generation: 2 }, ...(status && { status }) } }]);
    const [answer] = JSON.parse(execFileSync(program, { input, encoding: 'utf8' })) as [Health];
    return answer;
  }

  it.each(AGENT_ROWS)('of a HermesAgent with %s', (_what, status, want) => {
    expect(health(agentHealth, status)).toEqual(want);
  });

  it.each(RUN_ROWS)('of an AgentRun with %s', (_what, status, want) => {
    expect(health(runHealth, status)).toEqual(want);
  });
});
