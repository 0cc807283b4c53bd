import { isObject } from '../api/canonical-json.js';
import { AGENT_KIND, API_VERSION, FORMER_GROUP, GROUP, type RUN_KIND } from '../api/identity.js';
import type { InputMetadata } from '../api/hermes-agent.js';
import { dnsLabelTrouble, labelValueTrouble, qualifiedNameTrouble, type SyntaxCheck } from './name-syntax.js';
import { nearest } from './nearest.js';
import type { Reporter } from './reporter.js';
import type { SourceText } from './structure.js';

/** Filled in by the API server or by controllers: met in files that came out of a cluster, and left out silently. */
const SERVER_METADATA = [
  'creationTimestamp',
  'deletionGracePeriodSeconds',
  'deletionTimestamp',
  'generation',
  'managedFields',
  'resourceVersion',
  'selfLink',
  'uid',
];

/** Legal, but they would act on the live object behind the back of whoever applies it. */
const DROPPED_METADATA = ['finalizers', 'ownerReferences'];

/** What the API server cannot even read when it has another type. */
const METADATA_TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  creationTimestamp: isTime,
  deletionTimestamp: isTime,
  deletionGracePeriodSeconds: Number.isSafeInteger,
  generation: Number.isSafeInteger,
  resourceVersion: isString,
  selfLink: isString,
  uid: isString,
  finalizers: (value) => Array.isArray(value) && value.every((item) => item === null || isString(item)),
  ownerReferences: (value) => Array.isArray(value) && value.every((item) => item === null || isObject(item)),
  managedFields: (value) => Array.isArray(value) && value.every((item) => item === null || isObject(item)),
};

function isString(value: unknown): boolean {
  return typeof value === 'string';
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}

const KNOWN_METADATA = ['name', 'namespace', 'labels', 'annotations', ...SERVER_METADATA, ...DROPPED_METADATA];
const TOP_LEVEL = ['apiVersion', 'kind', 'metadata', 'spec', 'status'];

/** All annotations of an object together, keys included. */
const MAX_ANNOTATION_BYTES = 256 * 1024;

/** How messages call the objects of a kind. */
const NOUNS = { HermesAgent: 'agent', AgentRun: 'run' } as const;

/** Checks `apiVersion`, `kind` and the names of the top-level fields of what is to be of kind `wanted`. */
export function checkEnvelope(
  object: Readonly<Record<string, unknown>>,
  wanted: typeof AGENT_KIND | typeof RUN_KIND,
  report: Reporter,
): void {
  const { apiVersion, kind } = object;
  const noun = NOUNS[wanted];
  if (kind !== wanted) {
    const message = `${JSON.stringify(kind) || 'nothing'} is not the kind of ${noun === 'agent' ? 'an' : 'a'} ${noun}`;
    report.error(['kind'], { rule: 'UnknownKind', message, hint: `write ${wanted}` });
  }
  // The former operator knew no runs.
  if (wanted === AGENT_KIND && apiVersion === `${FORMER_GROUP}/v1alpha1`) {
    const message = `is read as ${API_VERSION}`;
    report.warning(['apiVersion'], { rule: 'FormerGroup', message, hint: `write ${API_VERSION}` });
  } else if (apiVersion !== API_VERSION) {
    const isOurGroup = typeof apiVersion === 'string' && apiVersion.startsWith(`${GROUP}/`);
    const message = isOurGroup ? `${apiVersion} is no known version of ${GROUP}` : `is not the group of ${noun}s`;
    report.error(['apiVersion'], { rule: 'UnknownVersion', message, hint: `write ${API_VERSION}` });
  }
  for (const field of Object.keys(object)) {
    if (!TOP_LEVEL.includes(field)) reportUnknown(field, TOP_LEVEL, [], report);
  }
}

/** What is known of an input beside its metadata. */
export interface MetadataInput {
  readonly defaultNamespace?: string;
  readonly sourceText?: SourceText;
}

/** The metadata of an input, checked: the parts that are rendered, or undefined when name or namespace are missing. */
export function checkMetadata(metadata: unknown, input: MetadataInput, report: Reporter): InputMetadata | undefined {
  if (!isObject(metadata)) {
    report.error(['metadata'], {
      rule: 'Required',
      message: 'has to be a map with name and namespace',
      hint: 'add metadata: {name: …, namespace: …}',
    });
    return undefined;
  }
  for (const field of Object.keys(metadata)) checkMetadataField(field, metadata, report);
  const labels = stringMap(['labels', metadata['labels'], labelValueTrouble], input, report);
  const annotations = stringMap(['annotations', metadata['annotations'], () => undefined], input, report);
  checkAnnotationSize(annotations, ['metadata', 'annotations'], report);
  const name = requiredString(metadata, 'name', input, report);
  const namespace = requiredString(metadata, 'namespace', input, report);
  if (namespace !== undefined) {
    const trouble = dnsLabelTrouble(namespace);
    if (trouble !== undefined)
      report.error(['metadata', 'namespace'], {
        rule: 'BadName',
        message: trouble,
        hint: 'write the name of a namespace',
      });
  }
  if (name === undefined || namespace === undefined) return undefined;
  return { name, namespace, ...(labels && { labels }), ...(annotations && { annotations }) };
}

function checkMetadataField(field: string, metadata: Readonly<Record<string, unknown>>, report: Reporter): void {
  const path = ['metadata', field];
  const value = metadata[field];
  if (field === 'generateName') {
    const hint = 'write metadata.name';
    report.error(path, { rule: 'NotSupported', message: 'a rendered object needs a name of its own', hint });
  } else if (!KNOWN_METADATA.includes(field)) {
    reportUnknown(field, KNOWN_METADATA, ['metadata'], report);
  } else if (value !== null && METADATA_TYPES[field]?.(value) === false) {
    report.error(path, {
      rule: 'WrongType',
      message: 'has a type that the API server cannot read',
      hint: `remove ${field}`,
    });
  } else if (DROPPED_METADATA.includes(field) && value !== null) {
    report.warning(path, {
      rule: 'IgnoredMetadata',
      message: 'is left out of what is rendered',
      hint: `remove ${field}`,
    });
  }
}

function requiredString(
  metadata: Readonly<Record<string, unknown>>,
  field: 'name' | 'namespace',
  input: MetadataInput,
  report: Reporter,
): string | undefined {
  const value = metadata[field] ?? (field === 'namespace' ? input.defaultNamespace : undefined) ?? '';
  if (typeof value === 'string' && value !== '') return value;
  report.error(
    ['metadata', field],
    value === ''
      ? { rule: 'Required', message: 'is required', hint: `add metadata.${field}` }
      : {
          rule: 'QuotedValue',
          message: 'has to be a string',
          hint: `write ${quoted(value, input.sourceText?.(['metadata', field]))}`,
        },
  );
  return undefined;
}

function quoted(value: unknown, source: string | undefined): string {
  return isObject(value) || Array.isArray(value) ? 'a string' : JSON.stringify(source ?? JSON.stringify(value));
}

function reportUnknown(field: string, known: readonly string[], path: readonly string[], report: Reporter): void {
  const guess = nearest(field, known);
  const hint = guess === undefined ? 'remove it' : `did you mean ${guess}?`;
  report.error([...path, field], { rule: 'UnknownField', message: `${field} is no known field`, hint });
}

/** The entries of a map of labels or annotations that are in order; undefined when there are none. */
function stringMap(
  [field, value, valueTrouble]: readonly [string, unknown, SyntaxCheck],
  input: MetadataInput,
  report: Reporter,
): Record<string, string> | undefined {
  const path = ['metadata', field];
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) {
    report.error(path, { rule: 'WrongType', message: 'has to be a map', hint: 'write key: "value"' });
    return undefined;
  }
  const entries = Object.entries(value).filter(([key, entry]) => {
    const at = [...path, key];
    if (typeof entry !== 'string') {
      report.error(at, {
        rule: 'QuotedValue',
        message: 'has to be a string',
        hint: `write ${quoted(entry, input.sourceText?.(at))}`,
      });
      return false;
    }
    checkEntry([key, entry], at, valueTrouble, report);
    return true;
  });
  return entries.length === 0 ? undefined : (Object.fromEntries(entries) as Record<string, string>);
}

function checkEntry(
  entry: readonly [string, string],
  at: readonly string[],
  valueTrouble: SyntaxCheck,
  report: Reporter,
): void {
  const keyTrouble = qualifiedNameTrouble(entry[0]);
  if (keyTrouble !== undefined)
    report.error(at, { rule: 'BadName', message: `the key ${keyTrouble}`, hint: 'write name or prefix/name' });
  const trouble = valueTrouble(entry[1]);
  if (trouble !== undefined)
    report.error(at, { rule: 'BadName', message: `the value ${trouble}`, hint: 'write another value' });
}

/** Annotations of one object are limited as a whole. */
export function checkAnnotationSize(
  annotations: Readonly<Record<string, string>> | undefined,
  path: readonly string[],
  report: Reporter,
): void {
  const bytes = Object.entries(annotations ?? {}).reduce((sum, entry) => sum + Buffer.byteLength(entry.join('')), 0);
  if (bytes <= MAX_ANNOTATION_BYTES) return;
  const message = `all annotations together are ${bytes} bytes, and ${MAX_ANNOTATION_BYTES} are allowed`;
  report.error(path, { rule: 'TooLong', message, hint: 'move large values to a ConfigMap' });
}
