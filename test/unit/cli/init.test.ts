import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { init, type InitOptions } from '../../../cli/init.js';
import { synth } from '../../../cli/synth.js';
import { packageVersion } from '../../../cli/version.js';
import { recordingPrinter } from '../../support/recording-printer.js';
import { scratchFolder } from '../../support/scratch-folder.js';

const REPO = 'https://git.example.net/fleet.git';

const scratch = scratchFolder();

function run(options: Partial<InitOptions>): { code: number; out: string[]; err: string[] } {
  const { out, err, printer } = recordingPrinter();
  const defaults = { folder: 'repo', flux: false, argocd: false, branch: 'main', path: '.', namespace: 'hermes' };
  return { code: init({ ...defaults, ...options }, printer, scratch.path), out, err };
}

const FLUX = { flux: true } as const;
const ARGO_CD = { argocd: true, repo: REPO } as const;

/** Paths of all files below a folder, sorted. */
function tree(folder = 'repo'): readonly string[] {
  if (!existsSync(join(scratch.path, folder))) return [];
  return readdirSync(join(scratch.path, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(scratch.path, folder).length + 1))
    .sort();
}

const read = (path: string): string => readFileSync(join(scratch.path, 'repo', path), 'utf8');
const object = (path: string): { metadata: { name: string }; spec: Record<string, unknown> } =>
  parse(read(path)) as ReturnType<typeof object>;

function put(path: string, text: string): void {
  scratch.put(join('repo', path), text);
}

const LAYOUT = [
  'agents/README.md',
  'agents/mia.yaml',
  'gitops/fleet.yaml',
  'gitops/hermes/agents.yaml',
  'gitops/hermes/kustomization.yaml',
  'gitops/hermes/namespace.yaml',
  'gitops/hermes/runs.yaml',
  'gitops/kustomization.yaml',
  'rendered/.hermes-gitops-index.json',
  'rendered/hermes/agents/kustomization.yaml',
  'rendered/hermes/agents/mia.yaml',
  'rendered/hermes/kustomization.yaml',
  'rendered/hermes/runs/kustomization.yaml',
  'rendered/kustomization.yaml',
];
const WORKFLOW = '.github/workflows/hermes-gitops.yaml';

describe('init', () => {
  it.each([
    ['Flux', FLUX, [WORKFLOW, ...LAYOUT]],
    ['Flux with a repository of its own', { ...FLUX, repo: REPO }, [WORKFLOW, ...LAYOUT, 'gitops/source.yaml'].sort()],
    ['Argo CD', ARGO_CD, [WORKFLOW, ...LAYOUT]],
  ])('lays out a repository for %s', (_what, options, want) => {
    const { code, out, err } = run(options);
    expect({ code, err }).toEqual({ code: 0, err: [] });
    expect(tree()).toEqual(want);
    expect(out).toHaveLength(want.length + 1);
    expect(out.at(-1)).toBe('next: read repo/agents/README.md');
  });

  it('has Flux wait for the agents and not for the runs, and prune both', () => {
    run(FLUX);
    const common = { prune: true, sourceRef: { kind: 'GitRepository', name: 'flux-system' } };
    expect(object('gitops/hermes/agents.yaml').spec).toMatchObject({
      ...common,
      path: './rendered/hermes/agents',
      wait: true,
    });
    expect(object('gitops/hermes/runs.yaml').spec).toMatchObject({
      ...common,
      path: './rendered/hermes/runs',
      wait: false,
    });
    expect(object('gitops/fleet.yaml').spec).toMatchObject({ ...common, path: './gitops' });
  });

  it('has Argo CD prune and heal, and take an empty folder for no mistake', () => {
    run({ ...ARGO_CD, branch: 'live' });
    const source = { repoURL: REPO, targetRevision: 'live' };
    expect(object('gitops/hermes/agents.yaml').spec).toMatchObject({
      source: { ...source, path: 'rendered/hermes/agents' },
      syncPolicy: { automated: { prune: true, selfHeal: true, allowEmpty: true } },
    });
    expect(object('gitops/hermes/runs.yaml').spec).toMatchObject({
      source: { ...source, path: 'rendered/hermes/runs' },
      syncPolicy: { automated: { prune: true, selfHeal: true, allowEmpty: true } },
    });
  });

  it('points Flux at the repository that is named', () => {
    run({ ...FLUX, repo: REPO, branch: 'live' });
    expect(object('gitops/source.yaml')).toMatchObject({
      metadata: { name: 'hermes-fleet' },
      spec: { url: REPO, ref: { branch: 'live' } },
    });
    expect(object('gitops/hermes/runs.yaml').spec['sourceRef']).toEqual({
      kind: 'GitRepository',
      name: 'hermes-fleet',
    });
  });

  it.each([
    ['Flux', FLUX],
    ['Argo CD', ARGO_CD],
  ])('lets no engine rewrite namespaces, and no one prune them: %s', (_what, options) => {
    run(options);
    const engine = tree().filter((path) => path.startsWith('gitops/'));
    for (const path of engine) expect(read(path)).not.toMatch(/targetNamespace|^ *namespace: hermes$/m);
    expect(object('gitops/hermes/namespace.yaml').metadata).toEqual({
      name: 'hermes',
      annotations: {
        'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false',
        'argocd.argoproj.io/compare-options': 'IgnoreExtraneous',
        'kustomize.toolkit.fluxcd.io/prune': 'disabled',
      },
    });
  });

  it.each([
    ['Flux', FLUX, true],
    ['Argo CD', ARGO_CD, false],
  ])('leaves nothing for synth to do, by the command of its own workflow: %s', async (_what, options, flux) => {
    run({ ...options, path: 'clusters/home', namespace: 'team-a' });
    const { jobs } = parse(read(WORKFLOW)) as { jobs: { check: { steps: Record<string, string>[] } } };
    const step = jobs.check.steps.at(-1);
    expect(step).toEqual({
      name: 'Rendered files are up to date',
      run:
        `npx --yes hermes-gitops@${packageVersion()} synth agents -o rendered --prune` +
        `${flux ? ' --flux' : ''} --check --format github`,
      'working-directory': 'clusters/home',
    });
    const err: string[] = [];
    const printer = { out: (): void => undefined, err: (text: string) => err.push(text) };
    const code = await synth(
      {
        inputs: ['agents'],
        output: 'rendered',
        layout: 'FILE_PER_CHART',
        check: true,
        prune: true,
        flux,
        controllerNamespace: 'hermes-gitops-system',
        format: 'text',
        allowedClusterRoles: [],
        allowedBindingNamespaces: [],
      },
      printer,
      join(scratch.path, 'repo', 'clusters/home'),
    );
    expect({ code, err }).toEqual({ code: 0, err: [] });
  });

  it.each([
    ['a file of the layout', 'gitops/fleet.yaml', ['repo/gitops', 'repo/gitops/fleet.yaml']],
    ['an input of somebody', 'agents/zoe.yaml', ['repo/agents']],
    ['a rendered file of somebody', 'rendered/x/y.yaml', ['repo/rendered']],
    ['the workflow', WORKFLOW, [`repo/${WORKFLOW}`]],
    ['a file where a folder should be', 'gitops', ['repo/gitops']],
    ['a file further up', '.github', ['repo/.github']],
  ])('writes nothing where there is %s already', (_what, path, named) => {
    put(path, 'mine');
    expect(run(FLUX)).toEqual({
      code: 1,
      out: [],
      err: [
        ...named.map((each) => `${each}: error: is there already`),
        'error: nothing written; name another folder, or another --path in this one',
      ],
    });
    expect(tree()).toEqual([path]);
    expect(read(path)).toBe('mine');
  });

  it('leaves other files of a repository alone, and fits beside itself by another path', () => {
    put('README.md', 'mine');
    expect(run(FLUX).code).toBe(0);
    expect(read('README.md')).toBe('mine');
    cpSync(join(scratch.path, 'repo'), join(scratch.path, 'other'), { recursive: true });
    expect(run({ ...FLUX, path: 'second' }).err[0]).toBe(`repo/${WORKFLOW}: error: is there already`);
    rmSync(join(scratch.path, 'repo', WORKFLOW));
    expect(run({ ...FLUX, path: 'second' }).code).toBe(0);
    expect(tree().filter((path) => path.startsWith('second/')).length).toBe(LAYOUT.length);
  });

  it.each<[Partial<InitOptions>, string]>([
    [{}, 'name one engine: --flux or --argocd'],
    [{ flux: true, argocd: true }, 'name one engine: --flux or --argocd'],
    [{ argocd: true }, '--argocd needs --repo with the URL that Argo CD fetches'],
    [{ ...FLUX, repo: '' }, '--repo is empty; write the URL that the engine fetches'],
    [{ ...FLUX, branch: '' }, '--branch is empty; write the name of the branch that is synced'],
    [{ ...FLUX, path: '../x' }, '--path ../x leads out of the repository; write a folder below its root'],
    [{ ...FLUX, path: '/x' }, '--path /x leads out of the repository; write a folder below its root'],
    [{ ...FLUX, namespace: 'a'.repeat(50) }, `--namespace ${'a'.repeat(50)} is longer than 49 characters (50)`],
    [
      { ...FLUX, namespace: 'A' },
      "--namespace A has to be lower-case letters, digits and '-', with a letter or digit at both ends",
    ],
  ])('refuses %o', (options, message) => {
    expect(() => run(options)).toThrow(message);
    expect(tree()).toEqual([]);
  });

  it('takes back what it wrote when it cannot go on', () => {
    // A name that is longer than a file system takes, at the end of a path that can be made.
    const path = `a/${'b'.repeat(300)}`;
    expect(() => run({ ...FLUX, path })).toThrow(/^cannot write /);
    expect(tree()).toEqual([]);
  });
});
