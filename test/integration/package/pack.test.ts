import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const REPOSITORY = new URL('../../../', import.meta.url).pathname;

const PROGRAM = `
import { App, Chart } from 'cdk8s';
import * as kplus from 'cdk8s-plus-28';
import { HermesAgent, type HermesAgentSpec } from 'hermes-gitops';

const spec: HermesAgentSpec = {
  image: 'registry.example.net/hermes:v1',
  storage: { existingClaimName: 'home' },
};
const app = new App();
const chart = new Chart(app, 'fleet', { namespace: 'lab' });
const agent = new HermesAgent(chart, 'mia', { metadata: { name: 'mia' }, spec });
agent.deployment?.metadata.addAnnotation('example.org/owner', 'ann');
new kplus.ConfigMap(chart, 'settings', { data: { a: 'b' } });
console.log(app.synthYaml());
`;

/** Without skipLibCheck, so that the package's own declarations are checked too. */
const TSCONFIG = {
  compilerOptions: {
    target: 'ES2022',
    module: 'NodeNext',
    moduleResolution: 'NodeNext',
    strict: true,
    noUncheckedIndexedAccess: true,
    types: ['node'],
    outDir: 'out',
  },
  include: ['program.ts'],
};

/** What `cdk8s init typescript-app` lays out: CommonJS, and a resolution that knows no `exports` of packages. */
const COMMONJS_TSCONFIG = {
  compilerOptions: {
    ...TSCONFIG.compilerOptions,
    module: 'CommonJS',
    moduleResolution: 'node10',
    ignoreDeprecations: '6.0',
  },
  include: ['program.cts'],
};

const AGENT = `apiVersion: hermes-gitops.dev/v1alpha1
kind: HermesAgent
metadata: { name: mia, namespace: lab }
spec:
  image: registry.example.net/hermes:v1
  storage: { existingClaimName: home }
`;

describe('the npm package', () => {
  let folder = '';
  let files: readonly string[] = [];
  const run = (command: string, ...args: string[]): string =>
    execFileSync(command, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hermes-gitops-package-'));
    const packed = execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
      cwd: REPOSITORY,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [description] = JSON.parse(packed) as {
      readonly filename: string;
      readonly files: readonly { readonly path: string }[];
    }[];
    files = (description?.files ?? []).map((file) => file.path);
    mkdirSync(join(folder, 'input'));
    writeFileSync(join(folder, 'input', 'mia.yaml'), AGENT);
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'user', private: true, type: 'module' }));
    writeFileSync(join(folder, 'program.ts'), PROGRAM);
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
    writeFileSync(join(folder, 'program.cts'), PROGRAM);
    writeFileSync(join(folder, 'commonjs.json'), JSON.stringify(COMMONJS_TSCONFIG));
    const { devDependencies } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as {
      readonly devDependencies: Readonly<Record<string, string>>;
    };
    const tools = ['cdk8s-plus-28', 'typescript', '@types/node'].map(
      (name) => `${name}@${devDependencies[name] ?? ''}`,
    );
    run('npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', `./${description?.filename ?? ''}`, ...tools);
  }, 300_000);

  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('holds what users need and no development files', () => {
    const folders = new Set(files.map((file) => file.split('/').slice(0, 2).join('/')));
    expect([...folders].sort()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'build/cli',
      'build/controller',
      'build/lib',
      'dist/install',
      'package.json',
    ]);
    expect(files.filter((file) => /\.map$|\.test\.|codegen|(?<!\.d)\.ts$/.test(file))).toEqual([]);
  });

  it('gives a working command', () => {
    const output = run('npx', '--no-install', 'hermes-gitops', 'synth', 'input', '-o', 'rendered');
    expect(output).toContain('1 agent in rendered');
    const rendered = readFileSync(join(folder, 'rendered/lab/agents/mia.yaml'), 'utf8');
    expect(rendered).toContain('name: hermes-mia\n');
  });

  it('runs the controller from its bundle', () => {
    expect(run('npx', '--no-install', 'hermes-gitops', 'controller', '--version')).toMatch(
      /^hermes-gitops controller 0\.1\.0 \([0-9a-f]{12}/,
    );
  });

  it.each([
    ['a strict program', 'tsconfig.json', 'program.js'],
    ['a CommonJS program', 'commonjs.json', 'program.cjs'],
  ])('gives constructs that %s compiles and runs with', (_, config, program) => {
    run('npx', '--no-install', 'tsc', '-p', config);
    const yaml = run('node', `out/${program}`);
    expect(yaml).toContain('kind: ConfigMap');
    expect(yaml).toContain('example.org/owner: ann');
    expect(yaml).toContain('name: hermes-mia\n');
  });
});
