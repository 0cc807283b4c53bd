import type { JsonSchema } from './json-schema.js';
import { list, listMap, native, stringMap } from './schema-parts.js';
import { exactlyOneVolume, completeClaim } from './storage-rules.js';

const env = (description: string): JsonSchema => listMap(native('EnvVar'), ['name'], 512, description);
const envFrom = (description: string): JsonSchema => list(native('EnvFromSource'), 64, description);

const roleRef = (kinds: readonly string[]): JsonSchema => ({
  type: 'object',
  description: 'The role to bind. It has to exist: hermes-gitops renders bindings, never roles.',
  required: ['kind', 'name'],
  properties: {
    apiGroup: {
      type: 'string',
      description: 'API group of the role.',
      enum: ['rbac.authorization.k8s.io'],
      default: 'rbac.authorization.k8s.io',
    },
    kind: { type: 'string', description: 'Kind of the role.', enum: kinds },
    name: { type: 'string', description: 'Name of the role.', minLength: 1, maxLength: 253 },
  },
});

const storage: JsonSchema = {
  type: 'object',
  description: "The volume with the agent's home, mounted at /opt/data.",
  properties: {
    persistentVolumeClaim: native('PersistentVolumeClaimSpec', {
      description: 'Renders a claim hermes-<name>-data of this spec. An empty object counts as absent.',
      'x-kubernetes-validations': [completeClaim],
    }),
    existingClaimName: {
      type: 'string',
      description: 'A claim of the same namespace that is already there. It is mounted and never changed or deleted.',
      maxLength: 253,
    },
    retainPolicy: {
      type: 'string',
      description: 'What happens to the rendered claim when the agent is deleted or leaves Git.',
      enum: ['Retain', 'Delete'],
      default: 'Retain',
    },
  },
  'x-kubernetes-validations': [exactlyOneVolume],
};

const rbac: JsonSchema = {
  type: 'object',
  description: 'Rights of the agent beyond restarting itself.',
  properties: {
    roleBindings: list(
      {
        type: 'object',
        description: 'One RoleBinding.',
        required: ['namespace', 'roleRef'],
        properties: {
          namespace: {
            type: 'string',
            description:
              "Where the binding goes. Outside the agent's own namespace it has to be one of --allowed-binding-namespaces.",
            minLength: 1,
            maxLength: 63,
            pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
          },
          roleRef: roleRef(['Role', 'ClusterRole']),
        },
      },
      64,
      'Roles to bind inside one namespace.',
    ),
    clusterRoleBindings: list(
      { type: 'object', required: ['roleRef'], properties: { roleRef: roleRef(['ClusterRole']) } },
      64,
      'ClusterRoles to bind in the whole cluster. Each has to be one of --allowed-cluster-roles.',
    ),
  },
};

const dashboard: JsonSchema = {
  type: 'object',
  description: 'The web dashboard, a second container of the pod.',
  properties: {
    enabled: { type: 'boolean', description: 'Whether the dashboard runs.', default: false },
    image: { type: 'string', description: 'Defaults to spec.image.', minLength: 1, maxLength: 1024 },
    resources: native('ResourceRequirements', { description: 'Requests and limits of the dashboard container.' }),
    env: env('Variables of the dashboard container, its credentials among them.'),
    envFrom: envFrom('Sources of variables of the dashboard container.'),
    service: {
      type: 'object',
      description: 'The Service in front of the dashboard.',
      properties: {
        type: {
          type: 'string',
          description: 'Type of the Service.',
          enum: ['ClusterIP', 'NodePort', 'LoadBalancer'],
          default: 'ClusterIP',
        },
        annotations: stringMap('Annotations of the Service.'),
      },
    },
    ingress: {
      type: 'object',
      description: 'The way to the dashboard from outside of the cluster.',
      properties: {
        enabled: { type: 'boolean', description: 'Whether an Ingress is rendered.', default: false },
        ingressClassName: { type: 'string', description: 'Required when enabled.', maxLength: 253 },
        host: {
          type: 'string',
          description: 'Required when enabled: a DNS name without scheme or port.',
          maxLength: 253,
        },
        tls: {
          type: 'object',
          description: 'TLS of the host; without a Secret the ingress controller decides.',
          properties: { secretName: { type: 'string', description: 'Secret with the certificate.', maxLength: 253 } },
        },
        annotations: stringMap('Annotations of the Ingress.'),
      },
      'x-kubernetes-validations': [
        {
          rule: "!has(self.enabled) || !self.enabled || (has(self.host) && self.host != '')",
          message: 'host is required when the ingress is enabled',
          reason: 'FieldValueRequired',
        },
        {
          rule: "!has(self.enabled) || !self.enabled || (has(self.ingressClassName) && self.ingressClassName != '')",
          message: 'ingressClassName is required when the ingress is enabled',
          reason: 'FieldValueRequired',
        },
      ],
    },
  },
};

const networkPolicy: JsonSchema = {
  type: 'object',
  description: "NetworkPolicy of the agent's pod. An absent list and an empty one are different.",
  properties: {
    enabled: { type: 'boolean', description: 'Whether a NetworkPolicy is rendered.', default: false },
    ingress: list(native('NetworkPolicyIngressRule'), 128, 'Who may connect to the agent.'),
    egress: list(native('NetworkPolicyEgressRule'), 128, 'Where the agent may connect to.'),
    policyTypes: {
      type: 'array',
      description: 'Which directions are restricted. Required where the rules alone leave it open.',
      maxItems: 2,
      items: { type: 'string', enum: ['Ingress', 'Egress'] },
      'x-kubernetes-list-type': 'atomic',
    },
  },
};

/** The spec of a HermesAgent. Order here is the order of the documentation. */
export const hermesAgentSpecSchema: JsonSchema = {
  type: 'object',
  description: 'The agent as it should be.',
  required: ['image', 'storage'],
  properties: {
    image: { type: 'string', description: 'Image of the agent.', minLength: 1, maxLength: 1024 },
    imagePullPolicy: {
      type: 'string',
      description: 'When the kubelet pulls the images.',
      enum: ['Always', 'Never', 'IfNotPresent'],
      default: 'IfNotPresent',
    },
    // A merge key has to be required, and the native type leaves it open.
    imagePullSecrets: listMap(
      native('LocalObjectReference', { required: ['name'] }),
      ['name'],
      32,
      'Secrets to pull the images with.',
    ),
    serviceAccountName: {
      type: 'string',
      description:
        'A service account that is already there. Then neither a ServiceAccount nor the self Role is rendered.',
      maxLength: 253,
    },
    storage,
    suspend: { type: 'boolean', description: 'Scales the agent to no pod; everything else stays.', default: false },
    terminationGracePeriodSeconds: {
      type: 'integer',
      format: 'int64',
      description: 'Time for the agent to finish its turns: 180 s to drain and 30 s to tear down unless set.',
      minimum: 31,
      default: 210,
    },
    resources: native('ResourceRequirements', { description: 'Requests and limits of the agent container.' }),
    nodeSelector: stringMap('Labels of the nodes that the agent may run on.'),
    tolerations: list(native('Toleration'), 64, 'Taints of nodes that the agent puts up with.'),
    affinity: native('Affinity', { description: 'Which nodes and neighbours the agent wants or avoids.' }),
    topologySpreadConstraints: listMap(
      native('TopologySpreadConstraint'),
      ['topologyKey', 'whenUnsatisfiable'],
      16,
      'How pods are spread over zones and nodes.',
    ),
    priorityClassName: { type: 'string', description: 'PriorityClass of the pod.', maxLength: 253 },
    runtimeClassName: { type: 'string', description: 'RuntimeClass of the pod.', maxLength: 253 },
    podSecurityContext: native('PodSecurityContext', { description: 'Security context of the pod.' }),
    securityContext: native('SecurityContext', { description: 'Security context of the agent container.' }),
    podLabels: stringMap('More labels of the pod. Keys that hermes-gitops sets are refused.'),
    podAnnotations: stringMap('More annotations of the pod.'),
    volumes: listMap(native('Volume'), ['name'], 128, 'More volumes of the pod.'),
    volumeMounts: listMap(native('VolumeMount'), ['mountPath'], 128, 'More mounts of the agent container.'),
    hostAliases: listMap(native('HostAlias'), ['ip'], 64, 'More lines of /etc/hosts in the pod.'),
    dnsConfig: native('PodDNSConfig', { description: 'DNS settings of the pod.' }),
    env: env('Variables of the agent. They win over those of providers and gateways.'),
    envFrom: envFrom('Sources of variables of the agent.'),
    llmDefaultProvider: {
      type: 'string',
      description:
        'Name of the provider to start with. It sets HERMES_INFERENCE_PROVIDER only: config.yaml on the volume wins over it.',
      maxLength: 253,
    },
    llmProviders: listMap(
      {
        type: 'object',
        required: ['name'],
        properties: {
          name: {
            type: 'string',
            description: 'Name that llmDefaultProvider refers to.',
            minLength: 1,
            maxLength: 253,
          },
          models: {
            type: 'array',
            description: 'Models of the provider, for readers: nothing is rendered from them.',
            maxItems: 256,
            items: { type: 'string', minLength: 1, maxLength: 253 },
            'x-kubernetes-list-type': 'atomic',
          },
          env: env('Variables of the provider, its key among them.'),
        },
      },
      ['name'],
      64,
      'Providers of language models.',
    ),
    gateways: listMap(
      {
        type: 'object',
        required: ['type'],
        properties: {
          type: { type: 'string', description: 'Platform, for example discord.', minLength: 1, maxLength: 253 },
          env: env('Variables of the gateway, its token among them.'),
        },
      },
      ['type'],
      64,
      'Platforms that people reach the agent through.',
    ),
    rbac,
    dashboard,
    networkPolicy,
    execBackend: { type: 'string', description: 'Where tool sessions run.', enum: ['local'], default: 'local' },
  },
  'x-kubernetes-validations': [
    {
      rule:
        "!has(self.llmDefaultProvider) || self.llmDefaultProvider == '' || " +
        '(has(self.llmProviders) && self.llmProviders.exists(p, p.name == self.llmDefaultProvider))',
      message: 'llmDefaultProvider has to be the name of one of llmProviders',
    },
  ],
};
