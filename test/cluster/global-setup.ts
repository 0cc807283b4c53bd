import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { bundleController } from '../../controller/bundle/bundle-controller.js';
import { areBinariesCached, CONTROL_PLANE, ensureBinaries, GITOPS_ENGINES, hasGo, KSTATUS } from './binaries.js';
import { startCluster, type Cluster } from './cluster.js';

/** What a test file needs to talk to the bed of its worker; see `bed.ts`. */
export interface SharedBed {
  readonly server: string;
  readonly ca: string;
  readonly adminToken: string;
  readonly kubeconfig: string;
  readonly auditLog: string;
  readonly binaries: Readonly<Record<string, string>>;
}

declare module 'vitest' {
  interface ProvidedContext {
    /** One for each worker; none when there is neither a compiled control plane nor a Go toolchain to compile one. */
    beds: readonly SharedBed[];
    /** Path of the bundled controller. */
    controllerBundle: string;
  }
}

let clusters: readonly Cluster[] = [];
let folder: string | undefined;

/** Starts a control plane for each worker of the integration tests, and compiles it before that if it has to. */
export async function setup(project: TestProject): Promise<void> {
  if (!(await areBinariesCached(CONTROL_PLANE)) && !(await hasGo())) {
    const reason = 'the integration tests need Go 1.26 or newer once, to compile a Kubernetes control plane';
    if (process.env['CI'] === 'true') throw new Error(reason);
    process.stderr.write(`\nSKIPPED: ${reason}\n\n`);
    project.provide('beds', []);
    return;
  }
  // CI runs every file: what some of them need is compiled before anything is timed.
  await ensureBinaries(process.env['CI'] === 'true' ? [...CONTROL_PLANE, KSTATUS, ...GITOPS_ENGINES] : CONTROL_PLANE);
  // Before anything is timed, for all files: it takes as long as a suite on a busy machine.
  folder = mkdtempSync(join(tmpdir(), 'hermes-gitops-run-'));
  const bundle = join(folder, 'bundle.mjs');
  await bundleController(bundle);
  project.provide('controllerBundle', bundle);
  clusters = await Promise.all(Array.from({ length: project.config.maxWorkers }, () => startCluster()));
  project.provide(
    'beds',
    clusters.map(({ server, ca, adminToken, kubeconfig, auditLog, binaries }) => ({
      server,
      ca,
      adminToken,
      kubeconfig,
      auditLog,
      binaries,
    })),
  );
}

/** Ends those control planes. */
export async function teardown(): Promise<void> {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  await Promise.all(clusters.map((cluster) => cluster.stop()));
}
