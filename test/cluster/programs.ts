import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Binaries } from './binaries.js';
import type { ConfigurationFiles } from './configuration.js';
import type { ProgramSpec } from './processes.js';

/** Names of the programs of a bed. */
export type ProgramName = 'etcd' | 'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler' | 'kwok';

/** How each program of a bed is started. */
export type Programs = Readonly<Record<ProgramName, ProgramSpec>>;

interface ProgramInput {
  readonly binaries: Binaries;
  readonly directory: string;
  readonly files: ConfigurationFiles;
  readonly ports: {
    readonly etcd: number;
    readonly etcdPeer: number;
    readonly apiServer: number;
    readonly controllerManager: number;
    readonly scheduler: number;
  };
}

const STAGES = fileURLToPath(new URL('stages', import.meta.url));
const STAGE_FILES = ['node.yaml', 'pod.yaml'];

/** Command lines of the control plane: everything on 127.0.0.1, limits high enough for a fleet of hundreds. */
export function controlPlanePrograms(input: ProgramInput): Programs {
  const program = (name: ProgramName, args: readonly string[]): ProgramSpec => {
    const command = input.binaries[name];
    if (command === undefined) throw new Error(`${name} is not compiled`);
    return { name, command, args };
  };
  const { files, ports } = input;
  return {
    etcd: program('etcd', etcdArguments(input)),
    'kube-apiserver': program('kube-apiserver', apiServerArguments(input)),
    'kube-controller-manager': program('kube-controller-manager', [
      `--kubeconfig=${files.kubeconfig}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${ports.controllerManager}`,
      `--service-account-private-key-file=${files.serviceAccountKey}`,
      `--root-ca-file=${join(files.certificates, 'apiserver.crt')}`,
      '--use-service-account-credentials',
      '--leader-elect=false',
      '--kube-api-qps=1000',
      '--kube-api-burst=2000',
      '--controllers=*,-nodelifecycle,-ttl',
    ]),
    'kube-scheduler': program('kube-scheduler', [
      `--config=${files.schedulerConfig}`,
      '--bind-address=127.0.0.1',
      `--secure-port=${ports.scheduler}`,
    ]),
    kwok: program('kwok', [
      `--kubeconfig=${files.kubeconfig}`,
      '--manage-all-nodes',
      ...STAGE_FILES.map((file) => `--config=${join(STAGES, file)}`),
      `--config=${files.failureStages}`,
    ]),
  };
}

function etcdArguments({ directory, ports }: ProgramInput): readonly string[] {
  const client = `http://127.0.0.1:${ports.etcd}`;
  const peer = `http://127.0.0.1:${ports.etcdPeer}`;
  return [
    `--data-dir=${join(directory, 'etcd')}`,
    // A bed does not outlive its process, and fsync is most of what a write costs.
    '--unsafe-no-fsync',
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`,
    `--initial-cluster=default=${peer}`,
    '--log-level=warn',
  ];
}

function apiServerArguments({ files, ports }: ProgramInput): readonly string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${ports.etcd}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${ports.apiServer}`,
    `--cert-dir=${files.certificates}`,
    '--authorization-mode=RBAC',
    // As clusters have it: what may be privileged is left to admission.
    '--allow-privileged=true',
    `--token-auth-file=${files.tokens}`,
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${files.serviceAccountPublicKey}`,
    `--service-account-signing-key-file=${files.serviceAccountKey}`,
    '--service-cluster-ip-range=10.0.0.0/16',
    // Fake nodes never lose the taint that it adds.
    '--disable-admission-plugins=TaintNodesByCondition',
    `--audit-policy-file=${files.auditPolicy}`,
    `--audit-log-path=${files.auditLog}`,
    '--max-requests-inflight=2000',
    '--max-mutating-requests-inflight=1000',
    // There is no second API server, and the endpoints of this one are of no use.
    '--endpoint-reconciler-type=none',
  ];
}
