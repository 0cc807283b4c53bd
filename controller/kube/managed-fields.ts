import type { ResourceType } from './resources.js';

/** Rewrites the JSON of an answer before it is parsed, in the bytes that it is given. */
export type Trim = (json: Buffer) => Buffer;

const KEY = Buffer.from('"managedFields":[');
const BACKSLASH = 0x5c;
const QUOTE = 0x22;
const OPEN = 0x5b;
const CLOSE = 0x5d;

/** How answers about objects of a resource are to be trimmed. */
export function trimOf({ hasFreeFields }: ResourceType): Trim {
  return hasFreeFields === true ? (json) => json : withoutManagedFields;
}

/**
 * JSON of the API server with every `managedFields` emptied, in the same memory. It says who wrote which field, is often
 * half of an object, and nothing here reads it; to take it out before parsing spares its objects too. A key of that name
 * with a list is emptied wherever it stands, so this is only for kinds whose schema has no other.
 */
export function withoutManagedFields(json: Buffer): Buffer {
  let kept = 0;
  let start = 0;
  for (let at = json.indexOf(KEY); at !== -1; at = json.indexOf(KEY, start)) {
    const list = at + KEY.length;
    // A longer key that ends like this one has its quote escaped.
    const end = json[at - 1] === BACKSLASH ? list : endOfList(json, list);
    json.copyWithin(kept, start, list);
    kept += list - start;
    start = end;
  }
  json.copyWithin(kept, start);
  return json.subarray(0, kept + json.length - start);
}

/** Where the list that begins before `from` is closed; the end of the text when it is not. */
function endOfList(json: Buffer, from: number): number {
  let depth = 0;
  let isText = false;
  for (let at = from; at < json.length; at++) {
    const byte = json[at];
    if (isText) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) isText = false;
    } else if (byte === QUOTE) isText = true;
    else if (byte === OPEN) depth++;
    else if (byte === CLOSE && depth-- === 0) return at;
  }
  return json.length;
}
