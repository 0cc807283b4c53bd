import { keyText } from './key-text.js';
import { blockScalar, scalarText } from './yaml-scalar.js';

/** Longest key that YAML reads on one line with its value; 1024 in the specification, with room for quotes. */
const MAX_SIMPLE_KEY = 1000;

/** Keys that come first in a Kubernetes object, in this order. */
const LEADING_KEYS = ['apiVersion', 'kind', 'metadata'];

/**
 * Plain JSON data as one YAML document that YAML 1.1 readers (kubectl, Flux, Argo CD) and 1.2 readers take for exactly
 * that data. Keys are sorted, those that name the object first; fields that are undefined are left out.
 */
export function toYaml(value: unknown): string {
  if (!isMap(value)) return Array.isArray(value) && value.length > 0 ? items(value, '') : `${scalar(value, '  ')}\n`;
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  const leading = LEADING_KEYS.filter((key) => keys.includes(key));
  const rest = keys.filter((key) => !leading.includes(key)).sort();
  if (keys.length === 0) return '{}\n';
  return entries(value, [...leading, ...rest], '');
}

/** Several documents in one stream, each introduced by `---`. */
export function toYamlStream(values: readonly unknown[]): string {
  return values.map((value) => `---\n${toYaml(value)}`).join('');
}

type JsonMap = Readonly<Record<string, unknown>>;

function isMap(value: unknown): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sortedKeys(map: JsonMap): readonly string[] {
  const keys = Object.keys(map).sort();
  // Hardly ever is one undefined, and this is asked for every map of every object.
  return keys.some((key) => map[key] === undefined) ? keys.filter((key) => map[key] !== undefined) : keys;
}

function entries(map: JsonMap, keys: readonly string[], indent: string): string {
  let text = '';
  for (const key of keys) text += indent + entry(key, map[key], indent);
  return text;
}

/** `key: value` without the indentation of its first line. */
function entry(key: string, value: unknown, indent: string): string {
  const head = keyText(key);
  const lead = head.length > MAX_SIMPLE_KEY ? `? ${head}\n${indent}:` : `${head}:`;
  const inner = `${indent}  `;
  if (isMap(value)) {
    const keys = sortedKeys(value);
    if (keys.length > 0) return `${lead}\n${entries(value, keys, inner)}`;
  } else if (Array.isArray(value) && value.length > 0) {
    return `${lead}\n${items(value, inner)}`;
  }
  return `${lead} ${scalar(value, inner)}\n`;
}

function items(list: readonly unknown[], indent: string): string {
  const inner = `${indent}  `;
  let text = '';
  for (const item of list) {
    const keys = isMap(item) ? sortedKeys(item) : [];
    // The first line of a nested map or list stands behind the dash.
    if (isMap(item) && keys.length > 0) text += `${indent}- ${entries(item, keys, inner).slice(inner.length)}`;
    else if (Array.isArray(item) && item.length > 0) text += `${indent}- ${items(item, inner).slice(inner.length)}`;
    else text += `${indent}- ${scalar(item, inner)}\n`;
  }
  return text;
}

/** Everything that has no lines of its own below it; empty maps and lists included. */
function scalar(value: unknown, indent: string): string {
  if (typeof value === 'string') return blockScalar(value, indent) ?? scalarText(value);
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value);
  if (typeof value === 'boolean') return String(value);
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return '[]';
  if (typeof value === 'object') return '{}';
  throw new TypeError(`not JSON data: ${typeof value}`);
}
