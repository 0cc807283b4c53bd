import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { Component } from '../../charts/install/components/component.js';
import { CONTROLLER_ACCOUNT, LISTS, SYSTEM_NAMESPACE } from '../../charts/install/names.js';
import type { InstallOptions } from '../../charts/install/options.js';
import { LEASE_NAME } from '../../lib/api/identity.js';
import { serviceAccountToken } from '../cluster/bed.js';
import { type KubeClient, type KubeManifest, pathOf } from '../cluster/client.js';
import { installCrds } from '../cluster/install-crds.js';
import { auditEnd, controllerRequests } from './controller-requests.js';
import { startController, type ControllerProcess, type NodeSettings } from './controller-process.js';
import { applyInstallSet, withdrawPolicies } from './install-set.js';

/** The bed that controllers run on. */
export interface HostBed {
  readonly client: KubeClient;
  readonly server: string;
  readonly ca: string;
  readonly auditLog: string;
}

/** What a suite differs in. */
export interface HostOptions extends Pick<InstallOptions, 'allowedClusterRoles' | 'allowedBindingNamespaces'> {
  /** What stands beside the base; of a component its resources are applied. */
  readonly components?: readonly Component[];
  /** Told of every right that was asked for and refused, as `verb group/resource`; true where the suite means it to be. */
  readonly isMeant?: (right: string) => boolean;
}

/** How one controller is started. */
export interface StartSettings extends NodeSettings {
  /** Another way to the API server, through a proxy say. */
  readonly kubeconfig?: string;
}

/** A bed with the install set on it, whose account controllers run as: with its rights, and under its policies. */
export interface ControllerHost {
  /** Token of that account, for a proxy that stands in between. */
  readonly token: string;
  /** Path of a kubeconfig of that account. */
  readonly kubeconfig: string;
  /** Starts a controller with the lists of the install set, and plain metrics unless told otherwise. */
  start(flags?: readonly string[], settings?: StartSettings): Promise<ControllerProcess>;
  /** Ends every controller, takes the policies away, and fails when the account was refused a right. */
  stop(): Promise<void>;
}

/** Applies the install set but for its Deployment, whose place the started processes take. */
export async function hostController(bed: HostBed, options: HostOptions = {}): Promise<ControllerHost> {
  const { client } = bed;
  const { isMeant = () => false, components = [], ...gates } = options;
  const resources = components.flatMap((component) => Object.values(component.resources ?? {})) as KubeManifest[];
  const since = auditEnd(bed.auditLog);
  await applyInstallSet(client, gates, { without: ['deployment'] });
  for (const resource of resources) await client.apply(resource, { force: true });
  await installCrds(client);
  // A controller of an earlier suite may have been killed as the leader.
  await client.delete(`/apis/coordination.k8s.io/v1/namespaces/${SYSTEM_NAMESPACE}/leases/${LEASE_NAME}`);
  const folder = mkdtempSync(join(tmpdir(), 'hermes-gitops-host-'));
  const kubeconfig = join(folder, 'kubeconfig');
  const token = await serviceAccountToken(client, SYSTEM_NAMESPACE, CONTROLLER_ACCOUNT);
  writeFileSync(kubeconfig, JSON.stringify(kubeconfigOf(bed, token)));
  const bundle = inject('controllerBundle');
  const started: ControllerProcess[] = [];
  return {
    token,
    kubeconfig,
    start: async (flags = [], settings = {}) => {
      const { kubeconfig: way = kubeconfig, ...node } = settings;
      const common = [`--kubeconfig=${way}`, '--metrics-secure=false', ...listFlags(gates)];
      const controller = await startController(bundle, [...common, ...flags], node);
      started.push(controller);
      return controller;
    },
    stop: async () => {
      await Promise.all(started.map((controller) => controller.end('SIGKILL')));
      rmSync(folder, { recursive: true, force: true });
      await withdrawPolicies(client);
      for (const resource of resources) await client.delete(pathOf(resource));
      const refused = controllerRequests(bed.auditLog, since)
        .filter(({ isForbidden, right }) => isForbidden && !isMeant(right))
        .map(({ right, path }) => `${right}: ${path}`);
      if (refused.length > 0) throw new Error(`the controller was refused:\n${[...new Set(refused)].join('\n')}`);
    },
  };
}

/** A kubeconfig for a token. */
export function kubeconfigOf({ server, ca }: Pick<HostBed, 'server' | 'ca'>, token: string): object {
  const cluster = { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'bed', cluster }],
    users: [{ name: 'controller', user: { token } }],
    contexts: [{ name: 'bed', context: { cluster: 'bed', user: 'controller' } }],
    'current-context': 'bed',
  };
}

function listFlags({ allowedClusterRoles = [], allowedBindingNamespaces = [] }: HostOptions): readonly string[] {
  return [
    `--${LISTS.allowedClusterRoles.flag}=${allowedClusterRoles.join(',')}`,
    `--${LISTS.allowedBindingNamespaces.flag}=${allowedBindingNamespaces.join(',')}`,
  ];
}
