import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CONTROL_PLANE, ensureBinaries, type Binaries } from './binaries.js';
import { KubeClient } from './client.js';
import { writeConfiguration } from './configuration.js';
import { compactEtcd } from './etcd.js';
import { freePorts } from './ports.js';
import { Processes, type ProgramSpec } from './processes.js';
import { controlPlanePrograms, type ProgramName, type Programs } from './programs.js';

/** A running control plane: etcd, API server, controller manager, scheduler, and KWOK for nodes and kubelets. */
export interface Cluster {
  /** `https://127.0.0.1:<port>` */
  readonly server: string;
  /** Certificate of the API server, PEM. */
  readonly ca: string;
  /** Bearer token of a member of system:masters. */
  readonly adminToken: string;
  /** Path of a kubeconfig for that token. */
  readonly kubeconfig: string;
  /** The API server's audit log: one JSON object a line, every write at level Metadata. */
  readonly auditLog: string;
  /** Folder of everything above; gone after `stop`. */
  readonly directory: string;
  /** Where the compiled programs are: `kubectl` and `etcd` among them. */
  readonly binaries: Binaries;
  /** Client of the admin. */
  readonly client: KubeClient;
  /** Ends one program, by default with SIGKILL. */
  kill(program: string, signal?: NodeJS.Signals): Promise<void>;
  /** Starts a program that was killed, and waits until it answers. */
  restart(program: ProgramName): Promise<void>;
  /** Drops all revisions of etcd but the newest: whoever resumes a watch from an older one is told 410 by a new API server. */
  compactEtcd(): Promise<void>;
  /** Starts another program that ends with the bed, and resolves with its process id. Its output is in `<name>.log`. */
  run(program: ProgramSpec): Promise<number>;
  /** Process id of a running program. */
  pidOf(program: string): number | undefined;
  /** Ends every process and removes the folder. */
  stop(): Promise<void>;
}

/** How a bed differs from the usual one. */
export interface ClusterOptions {
  /** Told about every step that takes time. */
  readonly report?: (line: string) => void;
  /** Fake nodes. @default 1 */
  readonly nodes?: number;
  /** Without controller manager, scheduler and KWOK: an API server alone. @default false */
  readonly apiServerOnly?: boolean;
}

const READY_TIMEOUT_MS = 300_000;

/** Starts a control plane on free ports of 127.0.0.1, in about three seconds once its programs are compiled. */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  const binaries = await ensureBinaries(CONTROL_PLANE, options.report);
  const directory = await mkdtemp(join(tmpdir(), 'hermes-gitops-bed-'));
  const processes = new Processes(directory);
  try {
    return await boot({ options, binaries, directory, processes });
  } catch (error) {
    await processes.end();
    throw error;
  }
}

interface Boot {
  readonly options: ClusterOptions;
  readonly binaries: Binaries;
  readonly directory: string;
  readonly processes: Processes;
}

async function boot({ options, binaries, directory, processes }: Boot): Promise<Cluster> {
  const [etcd, etcdPeer, apiServer, controllerManager, scheduler] = (await freePorts(5)) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const adminToken = randomBytes(16).toString('hex');
  const server = `https://127.0.0.1:${apiServer}`;
  const files = await writeConfiguration({ directory, server, adminToken });
  const programs = controlPlanePrograms({
    binaries,
    directory,
    files,
    ports: { etcd, etcdPeer, apiServer, controllerManager, scheduler },
  });
  await processes.start(programs.etcd);
  await processes.start(programs['kube-apiserver']);
  const ca = await waitForCertificate(join(directory, 'certs', 'apiserver.crt'), processes);
  const client = new KubeClient({ server, ca, token: adminToken });
  await waitForApiServer(client, processes);
  if (options.apiServerOnly !== true) {
    for (const name of ['kube-controller-manager', 'kube-scheduler', 'kwok'] as const) {
      await processes.start(programs[name]);
    }
    await createNodes(client, options.nodes ?? 1);
  }
  return {
    server,
    ca,
    adminToken,
    kubeconfig: files.kubeconfig,
    auditLog: files.auditLog,
    directory,
    binaries,
    client,
    kill: (name, signal = 'SIGKILL') => processes.signal(name, signal),
    restart: (name) => restart(name, { programs, processes, client }),
    compactEtcd: () => compactEtcd(etcd),
    run: (program) => processes.start(program),
    pidOf: (name) => processes.pidOf(name),
    stop: async () => {
      client.close();
      await processes.end();
    },
  };
}

async function restart(
  name: ProgramName,
  bed: { readonly programs: Programs; readonly processes: Processes; readonly client: KubeClient },
): Promise<void> {
  await bed.processes.start(bed.programs[name]);
  if (name === 'etcd' || name === 'kube-apiserver') await waitForApiServer(bed.client, bed.processes);
}

/** The API server makes its own certificate at its first start. */
async function waitForCertificate(file: string, processes: Processes): Promise<string> {
  return poll('a certificate of the API server', async () => {
    failIfEnded(processes);
    const text = await readFile(file, 'utf8').catch(() => '');
    return text.includes('END CERTIFICATE') ? text : undefined;
  });
}

async function waitForApiServer(client: KubeClient, processes: Processes): Promise<void> {
  await poll('the API server', async () => {
    failIfEnded(processes);
    return client.request({ method: 'GET', path: '/readyz' }).then(
      (answer) => (answer.statusCode === 200 ? true : undefined),
      () => undefined,
    );
  });
  // Namespaces and roles of the system are created after the first readyz.
  await poll('the namespace default', () =>
    client.get('/api/v1/namespaces/default').then(
      () => true,
      () => undefined,
    ),
  );
}

function failIfEnded(processes: Processes): void {
  for (const name of ['etcd', 'kube-apiserver']) {
    const reason = processes.exitOf(name);
    if (reason !== undefined) throw new Error(`${name} ended: ${reason}, see ${processes.logFile(name)}`);
  }
}

async function poll<T>(what: string, read: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  for (;;) {
    const value = await read();
    if (value !== undefined) return value;
    if (Date.now() > deadline) throw new Error(`waited ${READY_TIMEOUT_MS / 1000} s for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function createNodes(client: KubeClient, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const name = `node-${index}`;
    await client.create('/api/v1/nodes', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name,
        annotations: { 'kwok.x-k8s.io/node': 'fake' },
        labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', type: 'kwok' },
      },
    });
  }
}
