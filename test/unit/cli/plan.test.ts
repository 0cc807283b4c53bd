import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { IoError, UsageError } from '../../../cli/exit-codes.js';
import { plan } from '../../../cli/plan.js';
import type { PlanOptions } from '../../../cli/plan/options.js';
import { synth } from '../../../cli/synth.js';
import { recordingPrinter } from '../../support/recording-printer.js';
import { scratchFolder } from '../../support/scratch-folder.js';
import { READING_DEFAULTS, SYNTH_DEFAULTS } from '../../support/synth-defaults.js';

const INPUTS = ['fleet'];

const agent = (name: string, spec = ''): string => `apiVersion: hermes-gitops.dev/v1alpha1
kind: HermesAgent
metadata: {name: ${name}, namespace: lab}
spec:
  image: registry.example.net/hermes:v1
  storage:
    persistentVolumeClaim:
      accessModes: [ReadWriteOnce]
      resources: {requests: {storage: 5Gi}}
${spec}`;

const folder = scratchFolder();
const { put } = folder;

async function run(
  options: Partial<PlanOptions> = {},
  below = '.',
): Promise<{ code: number; out: string; err: string }> {
  const { out, err, printer } = recordingPrinter();
  const all: PlanOptions = {
    inputs: INPUTS,
    ...READING_DEFAULTS,
    against: 'rendered',
    prune: false,
    ...options,
  };
  const code = await plan(all, printer, join(folder.path, below));
  return { code, out: out.join('\n'), err: err.join('\n') };
}

async function render(): Promise<void> {
  const options = { inputs: INPUTS, ...SYNTH_DEFAULTS, output: 'rendered', prune: true };
  expect(await synth(options, recordingPrinter().printer, folder.path)).toBe(0);
}

function commit(): void {
  const git = (...args: string[]): Buffer => execFileSync('git', args, { cwd: folder.path, stdio: 'pipe' });
  git('init', '-q', '-b', 'main');
  git('add', '-A', 'fleet', 'rendered');
  git('-c', 'user.name=t', '-c', 'user.email=t@example.net', 'commit', '-q', '-m', 'state');
}

describe('plan against a folder', () => {
  it('has nothing to say when the folder is what the inputs render to', async () => {
    put('fleet/mia.yaml', agent('mia'));
    await render();
    expect(await run()).toEqual({ code: 0, out: 'plan: nothing changes', err: '' });
  });

  it('says in a few sorted lines what happens to agents and objects', async () => {
    put('fleet/mia.yaml', agent('mia', '  env: [{name: A, value: "1"}, {name: B, value: "2"}]\n'));
    put('fleet/old.yaml', agent('old'));
    put('fleet/zoe.yaml', agent('zoe'));
    await render();
    put(
      'fleet/mia.yaml',
      agent('mia', '  env: [{name: B, value: "2"}, {name: A, value: "1"}]\n').replace(':v1', ':v2'),
    );
    rmSync(join(folder.path, 'fleet/old.yaml'));
    put('fleet/zoe.yaml', agent('zoe', '  suspend: true\n'));
    expect(await run()).toEqual({
      code: 0,
      err: '',
      out: `restart lab/mia: spec.containers[hermes].env, spec.containers[hermes].image
stop    lab/old: removed
stop    lab/zoe: suspended

~ Deployment lab/hermes-mia
    spec.template.spec.containers[hermes].env: ["A","B"] -> ["B","A"]
    spec.template.spec.containers[hermes].image: "registry.example.net/hermes:v1" -> "registry.example.net/hermes:v2"
~ Deployment lab/hermes-zoe
    spec.replicas: 1 -> 0
~ HermesAgent lab/mia
    spec.env: ["A","B"] -> ["B","A"]
    spec.image: "registry.example.net/hermes:v1" -> "registry.example.net/hermes:v2"
~ HermesAgent lab/zoe
    spec.suspend: (none) -> true
- Deployment lab/hermes-old
- HermesAgent lab/old
- Role lab/hermes-old-self
- RoleBinding lab/hermes-old-self
- Service lab/hermes-old
- ServiceAccount lab/hermes-old
= PersistentVolumeClaim lab/hermes-old-data: not rendered any more, kept by its marks
~ 10 more objects: the spec digest alone

plan: 1 agent to restart, 2 agents to stop, 14 to change, 6 to delete, 1 to keep`,
    });
  });

  it('ends with 1 for what the API server would refuse, and not for what only the cluster knows', async () => {
    put('fleet/mia.yaml', agent('mia'));
    await render();
    put('fleet/mia.yaml', agent('mia').replace('5Gi', '1Gi'));
    const shrunk = await run();
    expect([shrunk.code, shrunk.out.split('\n\n').slice(-2)]).toEqual([
      1,
      [
        '! PersistentVolumeClaim lab/hermes-mia-data: spec.resources.requests.storage: a claim cannot shrink from 5Gi to 1Gi',
        'plan: 7 to change, 1 refused',
      ],
    ]);
    put('fleet/mia.yaml', agent('mia').replace('resources:', 'storageClassName: fast\n      resources:'));
    const named = await run();
    expect([named.code, named.out.split('\n\n').at(-2)]).toEqual([
      0,
      '? PersistentVolumeClaim lab/hermes-mia-data: spec.storageClassName: is accepted only if it is what the cluster chose when the claim was made',
    ]);
  });

  it('passes over what others keep in the folder', async () => {
    put('fleet/mia.yaml', agent('mia'));
    await render();
    put('rendered/extra.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: lab}\n');
    expect((await run()).out).toBe('plan: nothing changes');
  });

  it('prints all of it as one JSON document', async () => {
    put('fleet/mia.yaml', agent('mia'));
    await render();
    put('fleet/mia.yaml', agent('mia', '  suspend: true\n'));
    const { code, out } = await run({ format: 'json' });
    const document = JSON.parse(out) as { changed: { digestOnly: boolean }[] } & Record<string, unknown>;
    const { changed, ...rest } = document;
    expect([code, rest, changed.map(({ digestOnly }) => digestOnly)]).toEqual([
      0,
      {
        against: 'rendered',
        applicable: true,
        problems: [],
        notes: [],
        created: [],
        deleted: [],
        kept: [],
        restarts: [{ namespace: 'lab', agent: 'mia', effect: 'stop', reason: 'suspended', because: [] }],
        refused: [],
      },
      [false, false, true, true, true, true, true],
    ]);
  });

  it('prints the problems of inputs that are not valid, and no plan', async () => {
    put('fleet/mia.yaml', agent('mia'));
    await render();
    put('fleet/mia.yaml', agent('mia', '  sidecars: []\n'));
    expect(await run()).toEqual({
      code: 1,
      out: '',
      err: 'fleet/mia.yaml:10:3: error: spec.sidecars: sidecars is no known field (remove it)',
    });
  });

  it('fails for a folder that cannot be read as manifests', async () => {
    put('fleet/mia.yaml', agent('mia'));
    put('rendered/mia.yaml', 'a: [\n');
    await expect(run()).rejects.toThrow(IoError);
  });
});

describe('plan against a commit', () => {
  const restarted = 'restart lab/mia: spec.containers[hermes].image';

  beforeEach(async () => {
    put('fleet/mia.yaml', agent('mia'));
    put('fleet/.hidden/x.yaml', agent('hidden'));
    await render();
    commit();
    put('fleet/mia.yaml', agent('mia').replace(':v1', ':v2'));
    rmSync(join(folder.path, 'rendered'), { recursive: true });
  });

  it.each<[string, Partial<PlanOptions>, string]>([
    ['the inputs of the commit', { against: 'main' }, '.'],
    ['the rendered folder of the commit', { against: 'HEAD', output: 'rendered' }, '.'],
    ['the inputs, from below the root', { against: 'main', inputs: ['.'] }, 'fleet'],
    ['the rendered folder, from below the root', { against: 'main', inputs: ['.'], output: '../rendered' }, 'fleet'],
  ])('compares with %s', async (_, options, below) => {
    const { code, out } = await run(options, below);
    expect([code, out.split('\n')[0], out.split('\n').at(-1)]).toEqual([
      0,
      restarted,
      'plan: 1 agent to restart, 7 to change',
    ]);
  });

  it('takes inputs that the commit does not have for new ones', async () => {
    put('more/zoe.yaml', agent('zoe'));
    const { out, err } = await run({ against: 'main', inputs: ['more'] });
    expect([out.split('\n')[0], err]).toEqual(['start   lab/zoe: new', 'note: main has no manifest in more']);
  });

  it('points to the rendered folder when the inputs of the commit are not valid today', async () => {
    put('fleet/mia.yaml', agent('mia', '  sidecars: []\n'));
    commit();
    put('fleet/mia.yaml', agent('mia'));
    const { code, err } = await run({ against: 'main' });
    expect([code, err.split('\n')]).toEqual([
      1,
      [
        'main:fleet/mia.yaml:10:3: error: spec.sidecars: sidecars is no known field (remove it)',
        'note: the inputs of main are not valid today; --output compares with what was rendered from them',
      ],
    ]);
  });

  it.each<[string, Partial<PlanOptions>, new () => Error, RegExp]>([
    [
      'what is neither folder nor commit',
      { against: 'nope' },
      IoError,
      /^--against nope: neither a folder nor a commit/,
    ],
    ['a flag for a ref', { against: '--all' }, IoError, /^--against --all: neither/],
    ['an input outside of the repository', { against: 'main', inputs: ['/etc/hostname'] }, UsageError, /outside/],
    ['--output with a cluster', { against: 'cluster', output: 'x' }, UsageError, /names no commit/],
    ['--prune without a cluster', { against: 'main', prune: true }, UsageError, /go with --against cluster/],
    [
      'a kubeconfig that is not there',
      { against: 'cluster', kubeconfig: '/nope' },
      IoError,
      /^cannot read the kubeconfig/,
    ],
  ])('refuses %s', async (_, options, kind, message) => {
    const attempt = run(options);
    await expect(attempt).rejects.toThrow(kind);
    await expect(attempt).rejects.toThrow(message);
  });
});
