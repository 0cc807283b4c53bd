import type { KubeManifest } from '../../lib/children/manifest.js';
import { clusterMetadata } from './metadata.js';

/** What a scraper has to be bound to, to be let read the metrics. */
export function metricsReaderClusterRole(): KubeManifest {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: clusterMetadata('hermes-gitops-metrics-reader'),
    rules: [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }],
  };
}
