import { ApiObject, Chart, JsonPatch } from 'cdk8s';
import type { Construct } from 'constructs';
import { isObject } from '../api/canonical-json.js';
import { type AGENT_KIND, API_VERSION, type RUN_KIND } from '../api/identity.js';
import type { KubeManifest } from '../children/manifest.js';
import { formatPath, type Problem } from '../validation/problem.js';
import { type PlainData, plainData } from './plain-data.js';

/** A rendered object as one of cdk8s. It puts every object without namespace into that of its chart, cluster-scoped ones too. */
export function apiObject(scope: Construct, id: string, manifest: KubeManifest): ApiObject {
  const object = new ApiObject(scope, id, manifest);
  if (manifest.metadata.namespace === undefined && Chart.of(scope).namespace !== undefined) {
    object.addJsonPatch(JsonPatch.remove('/metadata/namespace'));
  }
  return object;
}

/** The props as an input: data, whatever they hold, and what of them is none. */
export function inputObject(
  scope: Construct,
  kind: typeof AGENT_KIND | typeof RUN_KIND,
  { metadata, spec }: { readonly metadata?: unknown; readonly spec?: unknown },
): PlainData {
  const { namespace } = Chart.of(scope);
  const named = isObject(metadata ?? {}) ? { ...(metadata as object | undefined) } : metadata;
  const placed = isObject(named) ? { ...named, namespace: named['namespace'] ?? namespace } : named;
  return plainData({ apiVersion: API_VERSION, kind, metadata: placed, spec });
}

/** The errors among `problems` as cdk8s shows them. */
export function errorTexts(problems: readonly Problem[]): readonly string[] {
  return problems.filter(({ severity }) => severity === 'error').map(problemText);
}

function problemText({ path, message, hint }: Problem): string {
  const place = formatPath(path);
  return `${place === '' ? '' : `${place}: `}${message} (${hint})`;
}
