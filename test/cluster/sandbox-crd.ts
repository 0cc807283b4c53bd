import type { KubeClient, KubeManifest } from './client.js';
import { waitFor } from './wait.js';

/** Name of the CRD of Sandboxes. */
export const SANDBOX_CRD_NAME = 'sandboxes.agents.x-k8s.io';

/**
 * The Sandbox of kubernetes-sigs/agent-sandbox, as far as runs use it: a pod template, and whether a pod is wanted. The
 * pod itself is taken as it is, because the API server checks it when it is created.
 */
const SANDBOX_CRD: KubeManifest = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: SANDBOX_CRD_NAME },
  spec: {
    group: 'agents.x-k8s.io',
    scope: 'Namespaced',
    names: { kind: 'Sandbox', listKind: 'SandboxList', plural: 'sandboxes', singular: 'sandbox' },
    versions: [
      {
        name: 'v1beta1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            required: ['spec'],
            properties: {
              spec: {
                type: 'object',
                required: ['podTemplate'],
                properties: {
                  podTemplate: {
                    type: 'object',
                    required: ['spec'],
                    properties: {
                      metadata: {
                        type: 'object',
                        properties: {
                          labels: { type: 'object', additionalProperties: { type: 'string' } },
                          annotations: { type: 'object', additionalProperties: { type: 'string' } },
                        },
                      },
                      spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                    },
                  },
                  operatingMode: { type: 'string', enum: ['Running', 'Suspended'], default: 'Running' },
                },
              },
              status: {
                type: 'object',
                properties: {
                  conditions: {
                    type: 'array',
                    items: {
                      type: 'object',
                      required: ['type', 'status', 'reason', 'lastTransitionTime'],
                      properties: {
                        type: { type: 'string' },
                        status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
                        reason: { type: 'string' },
                        message: { type: 'string' },
                        observedGeneration: { type: 'integer' },
                        lastTransitionTime: { type: 'string', format: 'date-time' },
                      },
                    },
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
};

/** Path of the Sandboxes of a namespace, or of one of them. */
export function sandboxesPath(namespace: string, name?: string): string {
  const collection = `/apis/agents.x-k8s.io/v1beta1/namespaces/${namespace}/sandboxes`;
  return name === undefined ? collection : `${collection}/${name}`;
}

/** Makes the API server serve Sandboxes. */
export async function installSandboxCrd(client: KubeClient): Promise<void> {
  await client.apply(SANDBOX_CRD, { force: true });
  await waitFor(() => client.list(sandboxesPath('default')), { what: `${SANDBOX_CRD_NAME} to be served` });
}

/** Takes the kind away again, its objects included. */
export async function removeSandboxCrd(client: KubeClient): Promise<void> {
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${SANDBOX_CRD_NAME}`;
  await client.delete(path);
  await waitFor(async () => (await client.find(path)) === undefined, { what: `${SANDBOX_CRD_NAME} to go` });
}
