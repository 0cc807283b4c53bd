import { ApiObject, Chart, JsonPatch } from 'cdk8s';
import type { Construct } from 'constructs';
import { type AGENT_KIND, API_VERSION, type RUN_KIND } from '../api/identity.js';
import type { KubeManifest } from '../children/manifest.js';
import { formatPath, type Problem } from '../validation/problem.js';

/** A rendered object as one of cdk8s. It puts every object without namespace into that of its chart, cluster-scoped ones too. */
export function apiObject(scope: Construct, id: string, manifest: KubeManifest): ApiObject {
  const object = new ApiObject(scope, id, manifest);
  if (manifest.metadata.namespace === undefined && Chart.of(scope).namespace !== undefined) {
    object.addJsonPatch(JsonPatch.remove('/metadata/namespace'));
  }
  return object;
}

/** What {@link inputObject} reads of the props of a construct. */
interface InputProps {
  readonly metadata: { readonly namespace?: string };
  readonly spec: object;
}

/** The props as an input: plain JSON data, whatever they hold; undefined fields go, as they would in YAML. */
export function inputObject(
  scope: Construct,
  kind: typeof AGENT_KIND | typeof RUN_KIND,
  { metadata, spec }: InputProps,
): unknown {
  const namespace = metadata.namespace ?? Chart.of(scope).namespace;
  return JSON.parse(JSON.stringify({ apiVersion: API_VERSION, kind, metadata: { ...metadata, namespace }, spec }));
}

/** The errors among `problems` as cdk8s shows them. */
export function errorTexts(problems: readonly Problem[]): readonly string[] {
  return problems.filter(({ severity }) => severity === 'error').map(problemText);
}

function problemText({ path, message, hint }: Problem): string {
  const place = formatPath(path);
  return `${place === '' ? '' : `${place}: `}${message} (${hint})`;
}
