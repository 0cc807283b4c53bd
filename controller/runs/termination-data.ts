/** The kubelet stores no more of a termination message. */
const MAX_BYTES = 4096;

/** Deeper than anything that a person reads in a status. */
const MAX_DEPTH = 16;

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * The termination message of a run when it is a JSON object, in a form that the API server stores as it is: otherwise the
 * status would differ, and be written, with every look. Undefined for any other text, and for an object that is too large
 * or too deep.
 */
export function terminationData(message: string | undefined): Readonly<Record<string, unknown>> | undefined {
  const text = message?.trim() ?? '';
  if (!text.startsWith('{') || Buffer.byteLength(text) > MAX_BYTES) return undefined;
  const value = parse(text);
  const data = value === undefined ? undefined : storable(value, MAX_DEPTH);
  return typeof data === 'object' && data !== null && !Array.isArray(data)
    ? (data as Readonly<Record<string, unknown>>)
    : undefined;
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** Undefined for what cannot be stored; entries of a map that are null or not storable are left out. */
function storable(value: Json, depth: number): Json | undefined {
  if (depth < 0 || value === null) return undefined;
  if (typeof value === 'string') return wellFormed(value);
  // Adding 0 makes 0 of -0, which JSON knows and JavaScript tells apart.
  if (typeof value === 'number') return Number.isFinite(value) ? value + 0 : undefined;
  if (typeof value === 'boolean') return value;
  if (isList(value)) return value.map((item) => storable(item, depth - 1)).filter((item) => item !== undefined);
  const entries = Object.entries(value).flatMap(([key, item]) => {
    const kept = storable(item, depth - 1);
    return kept === undefined ? [] : [[wellFormed(key), kept] as const];
  });
  return Object.fromEntries(entries);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

/** A lone surrogate has no bytes: it would be stored as something else. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\ufffd');
}
