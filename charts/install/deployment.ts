import type { KubeManifest } from '../../lib/children/manifest.js';
import { systemMetadata } from './metadata.js';
import {
  CONTROLLER,
  CONTROLLER_ACCOUNT,
  CONTROLLER_SELECTOR,
  INSTALL_LABELS,
  LISTS,
  type ListSetting,
  PORTS,
} from './names.js';
import type { ResolvedInstallOptions } from './options.js';

/** Name of the container, for patches of users. */
export const CONTROLLER_CONTAINER = 'controller';

/** The controller: replicas of which one leads, on different nodes where there are some. */
export function controllerDeployment(options: ResolvedInstallOptions): KubeManifest {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: systemMetadata(CONTROLLER),
    spec: {
      replicas: options.replicas,
      selector: { matchLabels: CONTROLLER_SELECTOR },
      template: {
        metadata: {
          labels: INSTALL_LABELS,
          annotations: { 'kubectl.kubernetes.io/default-container': CONTROLLER_CONTAINER },
        },
        spec: podSpec(options),
      },
    },
  };
}

function podSpec(options: ResolvedInstallOptions): object {
  return {
    serviceAccountName: CONTROLLER_ACCOUNT,
    automountServiceAccountToken: true,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: 10,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 65532,
      runAsGroup: 65532,
      seccompProfile: { type: 'RuntimeDefault' },
    },
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: 'kubernetes.io/hostname',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: { matchLabels: CONTROLLER_SELECTOR },
      },
    ],
    containers: [container(options)],
  };
}

function container(options: ResolvedInstallOptions): object {
  const { image, allowedClusterRoles, allowedBindingNamespaces } = options;
  return {
    name: CONTROLLER_CONTAINER,
    image,
    args: [
      '--leader-elect',
      `--metrics-bind-address=:${PORTS.metrics}`,
      `--health-probe-bind-address=:${PORTS.health}`,
      listFlag(LISTS.allowedClusterRoles),
      listFlag(LISTS.allowedBindingNamespaces),
    ],
    env: [
      listVariable(LISTS.allowedClusterRoles, allowedClusterRoles),
      listVariable(LISTS.allowedBindingNamespaces, allowedBindingNamespaces),
    ],
    ports: [
      { name: 'metrics', containerPort: PORTS.metrics, protocol: 'TCP' },
      { name: 'health', containerPort: PORTS.health, protocol: 'TCP' },
    ],
    livenessProbe: { httpGet: { path: '/healthz', port: 'health' }, initialDelaySeconds: 15, periodSeconds: 20 },
    readinessProbe: { httpGet: { path: '/readyz', port: 'health' }, periodSeconds: 5 },
    resources: { requests: { cpu: '50m', memory: '128Mi' }, limits: { memory: '512Mi' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
  };
}

/** A flag that takes its value from a variable, because a variable can be replaced by its name and an argument cannot. */
export function listFlag({ flag, variable }: ListSetting): string {
  return `--${flag}=$(${variable})`;
}

/** The variable of a list. The API server drops an empty value, so that one would never read back as it was written. */
export function listVariable({ variable }: ListSetting, names: readonly string[]): object {
  return { name: variable, ...(names.length > 0 && { value: names.join(',') }) };
}
