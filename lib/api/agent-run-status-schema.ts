import type { JsonSchema } from './json-schema.js';
import { listMap, native } from './schema-parts.js';

/** The status of an AgentRun, written by the controller alone. */
export const agentRunStatusSchema: JsonSchema = {
  type: 'object',
  description: 'The run as the controller sees it.',
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
      description: 'The whole in one word. Succeeded and Failed are final.',
      enum: ['Pending', 'Running', 'Succeeded', 'Failed'],
    },
    workload: {
      type: 'object',
      description: 'The object that executes the run.',
      properties: {
        kind: { type: 'string', description: 'Job or Sandbox.' },
        name: { type: 'string' },
        uid: { type: 'string' },
      },
    },
    podName: { type: 'string', description: 'The pod that the status was taken from.' },
    podUID: { type: 'string', description: 'UID of that pod: a Sandbox gives each of its pods the same name.' },
    startTime: { type: 'string', format: 'date-time', description: 'When the pod started, else its workload.' },
    completionTime: { type: 'string', format: 'date-time', description: 'When the run ended.' },
    duration: { type: 'integer', format: 'int64', description: 'From startTime to completionTime in whole seconds.' },
    exitCode: { type: 'integer', format: 'int32', description: 'Exit code of the container agent.' },
    terminationData: {
      type: 'object',
      description: "The termination message of the run's container, when it is a JSON object.",
      'x-kubernetes-preserve-unknown-fields': true,
    },
    conditions: listMap(native('Condition'), ['type'], 64),
  },
};
