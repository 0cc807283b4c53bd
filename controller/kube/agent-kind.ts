import { CONDITION_TYPES } from '../../lib/api/reasons.js';
import type { OwnKind } from './object-writer.js';
import { RESOURCES } from './resources.js';

/** HermesAgent, as far as the controller writes it. */
export const AGENT: OwnKind = {
  resource: RESOURCES.agents,
  status: {
    fields: [
      'observedGeneration',
      'phase',
      'observedImage',
      'serviceAccountName',
      'podName',
      'restarts',
      'gateways',
      'gatewaySummary',
      'llmProvider',
      'activeSessions',
    ],
    conditionTypes: Object.values(CONDITION_TYPES),
  },
  smallestSpec: { image: 'none', storage: { existingClaimName: 'none' } },
};
