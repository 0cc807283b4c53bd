import { generateKeyPairSync } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { failureStages } from './failure-stages.js';

/** Files that the programs of a bed read, and the audit log that one writes. */
export interface ConfigurationFiles {
  readonly kubeconfig: string;
  readonly tokens: string;
  readonly serviceAccountKey: string;
  readonly serviceAccountPublicKey: string;
  readonly auditPolicy: string;
  readonly auditLog: string;
  readonly schedulerConfig: string;
  readonly certificates: string;
  readonly failureStages: string;
}

/** Writes the configuration of a bed into its folder. */
export async function writeConfiguration(bed: {
  readonly directory: string;
  readonly server: string;
  readonly adminToken: string;
}): Promise<ConfigurationFiles> {
  const file = (name: string): string => join(bed.directory, name);
  const files: ConfigurationFiles = {
    kubeconfig: file('kubeconfig'),
    tokens: file('tokens.csv'),
    serviceAccountKey: file('service-account.key'),
    serviceAccountPublicKey: file('service-account.pub'),
    auditPolicy: file('audit-policy.yaml'),
    auditLog: file('audit.log'),
    schedulerConfig: file('scheduler.yaml'),
    certificates: file('certs'),
    failureStages: file('failure-stages.yaml'),
  };
  const keys = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  await mkdir(files.certificates, { recursive: true });
  await writeFile(files.serviceAccountKey, keys.privateKey);
  await writeFile(files.serviceAccountPublicKey, keys.publicKey);
  await writeFile(files.tokens, `${bed.adminToken},admin,admin,system:masters\n`);
  await writeFile(files.kubeconfig, JSON.stringify(kubeconfig(bed.server, bed.adminToken, files.certificates)));
  await writeFile(files.auditPolicy, JSON.stringify(AUDIT_POLICY));
  await writeFile(files.schedulerConfig, JSON.stringify(schedulerConfig(files.kubeconfig)));
  await writeFile(files.failureStages, failureStages());
  return files;
}

/** JSON is YAML, and needs no quoting of ours. The certificate is read from its file, which the API server makes. */
function kubeconfig(server: string, token: string, certificates: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'bed',
    clusters: [{ name: 'bed', cluster: { server, 'certificate-authority': join(certificates, 'apiserver.crt') } }],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'bed', context: { cluster: 'bed', user: 'admin' } }],
  };
}

/** Every request of a client of ours, and every write of anybody: tests count them. */
const AUDIT_POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  omitManagedFields: true,
  rules: [
    { level: 'None', resources: [{ group: '', resources: ['events'] }], userGroups: ['system:nodes'] },
    {
      level: 'None',
      resources: [{ group: 'coordination.k8s.io' }],
      users: ['system:kube-controller-manager', 'system:kube-scheduler'],
    },
    { level: 'None', nonResourceURLs: ['/readyz*', '/livez*', '/healthz*', '/openapi*', '/api*'] },
    { level: 'Metadata' },
  ],
};

/** The scheduler's own limit of 50 requests a second is what a test with 500 pods would measure. */
function schedulerConfig(file: string): object {
  return {
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    leaderElection: { leaderElect: false },
    clientConnection: { kubeconfig: file, qps: 1000, burst: 2000 },
  };
}
