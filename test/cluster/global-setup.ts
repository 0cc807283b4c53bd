import type { TestProject } from 'vitest/node';
import { areBinariesCached, CONTROL_PLANE, hasGo } from './binaries.js';
import { startCluster, type Cluster } from './cluster.js';

/** What a test file needs to talk to the bed that all files share; see `bed.ts`. */
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
    /** Undefined when there is neither a compiled control plane nor a Go toolchain to compile one. */
    bed: SharedBed | undefined;
  }
}

let cluster: Cluster | undefined;

/** Starts one control plane for all integration tests, and compiles it before that if it has to. */
export async function setup(project: TestProject): Promise<void> {
  if (!(await areBinariesCached(CONTROL_PLANE)) && !(await hasGo())) {
    const reason = 'the integration tests need Go 1.26 or newer once, to compile a Kubernetes control plane';
    if (process.env['CI'] === 'true') throw new Error(reason);
    process.stderr.write(`\nSKIPPED: ${reason}\n\n`);
    project.provide('bed', undefined);
    return;
  }
  cluster = await startCluster();
  const { server, ca, adminToken, kubeconfig, auditLog, binaries } = cluster;
  project.provide('bed', { server, ca, adminToken, kubeconfig, auditLog, binaries });
}

/** Ends that control plane. */
export async function teardown(): Promise<void> {
  await cluster?.stop();
}
