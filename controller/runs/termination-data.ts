/** The kubelet stores no more of a termination message. */
const MAX_BYTES = 4096;

/** Deeper than anything that a person reads in a status. */
const MAX_DEPTH = 16;

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** What a termination message holds for a status; neither of both for a text. */
export interface TerminationData {
  readonly data?: Readonly<Record<string, unknown>>;
  /** Why an object is left out, as what follows "it": `has half of a character`. */
  readonly leftOut?: string;
}

/**
 * The termination message of a run when it is a JSON object, in a form that the API server stores as it is: otherwise the
 * status would differ, and be written, with every look. Entries of a map that are null are absent, as everywhere in
 * Kubernetes; an object that cannot be kept exactly beyond that is left out as a whole, rather than changed. One that is
 * too large was cut off, and is a text.
 */
export function terminationData(message: string | undefined): TerminationData {
  const text = message?.trim() ?? '';
  if (!text.startsWith('{') || Buffer.byteLength(text) > MAX_BYTES) return {};
  const value = parse(text);
  if (!isMap(value)) return {};
  const leftOut = inexactness(value, MAX_DEPTH);
  return leftOut === undefined ? { data: storable(value) as Readonly<Record<string, unknown>> } : { leftOut };
}

function parse(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** What would be another value once it is stored. */
function inexactness(value: Json, depth: number): string | undefined {
  if (depth < 0) return `is nested deeper than ${MAX_DEPTH} levels`;
  if (typeof value === 'number') return isExact(value) ? undefined : 'has a number beyond 2^53';
  // A lone surrogate has no bytes.
  if (typeof value === 'string') return /\p{Surrogate}/u.test(value) ? 'has half of a character' : undefined;
  if (isList(value)) {
    if (value.includes(null)) return 'has a null in a list';
    return firstOf(value.map((item) => inexactness(item, depth - 1)));
  }
  if (!isMap(value)) return undefined;
  return firstOf(Object.entries(value).flatMap(([key, item]) => [inexactness(key, 0), inexactness(item, depth - 1)]));
}

/** Whole numbers beyond are rounded when they are read, and some are read as infinite. */
function isExact(value: number): boolean {
  return Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
}

function firstOf(reasons: readonly (string | undefined)[]): string | undefined {
  return reasons.find((reason) => reason !== undefined);
}

/** Without the entries that are null. */
function storable(value: Json): Json {
  // Adding 0 makes 0 of -0, which JSON knows and JavaScript tells apart.
  if (typeof value === 'number') return value + 0;
  if (isList(value)) return value.map((item) => storable(item));
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (item === null ? [] : [[key, storable(item)] as const])),
  );
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function isMap(value: Json | undefined): value is Readonly<Record<string, Json>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
