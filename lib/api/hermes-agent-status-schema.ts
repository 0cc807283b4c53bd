import type { JsonSchema } from './json-schema.js';
import { listMap, native } from './schema-parts.js';

/** The status of a HermesAgent, written by the controller alone. */
export const hermesAgentStatusSchema: JsonSchema = {
  type: 'object',
  description: 'The agent as the controller sees it.',
  // On the parent: a default on the field alone does nothing for an object without status. Until the controller has
  // looked at a new object it must not read as current.
  default: { observedGeneration: -1 },
  properties: {
    observedGeneration: {
      type: 'integer',
      format: 'int64',
      description: 'Generation that the status speaks of; -1 before the controller has looked.',
    },
    phase: {
      type: 'string',
      description: 'The whole in one word.',
      enum: ['Bootstrap', 'Provisioning', 'Ready', 'Degraded', 'Suspended'],
    },
    observedImage: { type: 'string', description: "Image of the running pod's agent container." },
    serviceAccountName: { type: 'string' },
    podName: { type: 'string' },
    restarts: { type: 'integer', format: 'int32', description: "Restarts of the pod's containers." },
    gateways: listMap(
      {
        type: 'object',
        required: ['type', 'ready'],
        properties: {
          type: { type: 'string' },
          ready: { type: 'boolean' },
          state: { type: 'string' },
          message: { type: 'string' },
          lastProbedAt: { type: 'string', format: 'date-time' },
        },
      },
      ['type'],
      64,
    ),
    gatewaySummary: { type: 'string', description: 'Connected and declared gateways, for example 2/3.' },
    llmProvider: { type: 'object', properties: { current: { type: 'string' } } },
    activeSessions: { type: 'integer', format: 'int32' },
    conditions: listMap(native('Condition'), ['type'], 64),
  },
};
