import { Chart } from 'cdk8s';
import type { Construct, IConstruct } from 'constructs';
import type { KubeManifest } from '../children/manifest.js';
import { identityOf } from '../emit/rendered-agent.js';
import type { Problem } from '../validation/problem.js';

/** Who renders each object of a chart. */
const CLAIMED = new WeakMap<Chart, Map<string, Construct>>();

/**
 * Takes objects for `scope`, or says which other construct of the chart renders one of them already. A chart is what is
 * applied together; two charts may hold the same agent for two clusters.
 */
export function claimObjects(scope: Construct, manifests: readonly KubeManifest[]): readonly Problem[] {
  const chart = Chart.of(scope);
  const claimed = CLAIMED.get(chart) ?? new Map<string, Construct>();
  CLAIMED.set(chart, claimed);
  for (const manifest of manifests) {
    const owner = claimed.get(identityOf(manifest));
    if (owner !== undefined && isAttached(owner)) return [duplicate(manifest, owner)];
  }
  for (const manifest of manifests) claimed.set(identityOf(manifest), scope);
  return [];
}

/** Constructs can be taken out of their tree again. */
function isAttached(construct: IConstruct): boolean {
  const { scope, id } = construct.node;
  return scope === undefined || (scope.node.tryFindChild(id) === construct && isAttached(scope));
}

function duplicate({ kind, metadata: { namespace = '', name } }: KubeManifest, owner: Construct): Problem {
  const place = namespace === '' ? name : `${namespace}/${name}`;
  return {
    severity: 'error',
    rule: 'DuplicateObject',
    path: ['metadata', 'name'],
    message: `renders ${kind} ${place}, which ${owner.node.path} renders too`,
    hint: 'give one of the two another name or namespace',
  };
}
