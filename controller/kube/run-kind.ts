import { RUN_CONDITION_TYPES } from '../../lib/api/run-reasons.js';
import type { OwnKind } from './object-writer.js';
import { RESOURCES } from './resources.js';

/** AgentRun, as far as the controller writes it. */
export const RUN: OwnKind = {
  resource: RESOURCES.runs,
  status: {
    fields: [
      'observedGeneration',
      'phase',
      'workload',
      'podName',
      'podUID',
      'startTime',
      'completionTime',
      'duration',
      'exitCode',
      'terminationData',
    ],
    conditionTypes: Object.values(RUN_CONDITION_TYPES),
  },
  smallestSpec: { image: 'none', instructions: 'none' },
};
