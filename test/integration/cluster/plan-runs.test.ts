import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { plan } from '../../../cli/plan.js';
import { synth } from '../../../cli/synth.js';
import { createNamespace, describeOnBed, sharedBed } from '../../cluster/bed.js';
import type { KubeManifest } from '../../cluster/client.js';
import { installCrds } from '../../cluster/install-crds.js';
import { installSandboxCrd } from '../../cluster/sandbox-crd.js';
import { recordingPrinter } from '../../support/recording-printer.js';
import { AGENT_FILE, RUN_FILE } from '../../support/runs-in-files.js';
import { RunsOnBed } from '../../support/runs-on-bed.js';
import { scratchFolder } from '../../support/scratch-folder.js';
import { READING_DEFAULTS, SYNTH_DEFAULTS } from '../../support/synth-defaults.js';

const INPUTS = ['fleet'];
const FILES = ['agents/mia', 'runs/sum-1', 'runs/box-1'];

describeOnBed('a plan of runs against the cluster', () => {
  const { client, kubeconfig } = sharedBed();
  const folder = scratchFolder();
  let runs: RunsOnBed;

  const put = (name: string, text: string): void => {
    folder.put(`fleet/${name}.yaml`, text.replaceAll('namespace: lab', `namespace: ${runs.namespace}`));
  };
  const boxed = RUN_FILE.replace('sum-1', 'box-1').concat('  workload: Sandbox\n');

  /** Every file of the inputs, as they were rendered and applied, and the rendered objects. */
  async function render(): Promise<readonly KubeManifest[]> {
    put('mia', AGENT_FILE);
    put('sum-1', RUN_FILE);
    put('box-1', boxed);
    expect(await synth({ inputs: INPUTS, ...SYNTH_DEFAULTS }, recordingPrinter().printer, folder.path)).toBe(0);
    return FILES.flatMap((file) => {
      const text = readFileSync(join(folder.path, 'dist', runs.namespace, `${file}.yaml`), 'utf8');
      return parseAllDocuments(text).map((document) => document.toJS() as KubeManifest);
    });
  }

  beforeAll(async () => {
    await installCrds(client);
    await installSandboxCrd(client);
    runs = new RunsOnBed(client, await createNamespace(client, 'plan-runs'));
  });

  async function planned(): Promise<{ code: number; lines: readonly string[] }> {
    const { out, err, printer } = recordingPrinter();
    const options = { inputs: INPUTS, ...READING_DEFAULTS, prune: false, against: 'cluster', kubeconfig };
    const code = await plan(options, printer, folder.path);
    const lines = [...out, ...err].join('\n').split('\n');
    return { code, lines: lines.filter((line) => /^[-+~!] (AgentRun|Job|Sandbox) |^restart/.test(line)) };
  }

  it('sees what is new and what is refused, and leaves alone what was rendered, in a Job or a Sandbox', async () => {
    const rendered = await render();
    const { namespace } = runs;
    const first = await planned();
    expect([first.code, [...first.lines].sort()]).toEqual([
      0,
      [
        `+ AgentRun ${namespace}/box-1`,
        `+ AgentRun ${namespace}/sum-1`,
        `+ Job ${namespace}/hermes-run-sum-1`,
        `+ Sandbox ${namespace}/hermes-run-box-1`,
      ],
    ]);

    for (const object of rendered) await client.apply(object, { fieldManager: 'kustomize-controller', force: true });
    const sandbox = rendered.find(({ kind }) => kind === 'Sandbox');
    expect((await client.get(runs.sandboxPath('box-1')))['spec']).toEqual({
      ...(sandbox?.['spec'] as object),
      operatingMode: 'Running',
    });
    expect(await planned()).toEqual({ code: 0, lines: [] });

    put('mia', AGENT_FILE.replace('hermes:v1', 'hermes:v2'));
    expect(await planned()).toEqual({
      code: 0,
      lines: [`restart ${namespace}/mia: spec.containers[hermes].image`],
    });

    put('mia', AGENT_FILE);
    put('sum-1', RUN_FILE.replace('sum it up', 'sum it up again'));
    const edited = await planned();
    expect(edited.code).toBe(1);
    expect(edited.lines).toEqual([
      `! AgentRun ${namespace}/sum-1: spec.instructions: cannot be changed once the object exists; the spec of a run is immutable: use a new name for a new run`,
      `! Job ${namespace}/hermes-run-sum-1: spec.template.spec.containers[agent].args[3]: cannot be changed once the object exists; a run is resolved once: use a new name for a new run`,
    ]);
  });
});
