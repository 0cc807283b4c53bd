import { createHash } from 'node:crypto';

import { canonicalJson } from './canonical-json.js';
import type { JsonSchema } from './json-schema.js';
import { normalizeWithoutDefaults } from './normalize.js';
import { AGENT_SPEC_SCHEMA } from './schema-access.js';

/** Version of the way digests are computed. Digests of two versions cannot be compared. */
export const DIGEST_VERSION = 'v1';

/**
 * What a valid spec says, as one short text. The spec that somebody wrote and the same spec read back from the API
 * server, defaults filled in, have one digest, under this schema and under a later one that knows more defaults.
 */
export function specDigest(spec: unknown, schema: JsonSchema = AGENT_SPEC_SCHEMA): string {
  return jsonDigest(normalizeWithoutDefaults(spec, schema));
}

/** A JSON value as one short text, with the version: equal for the same value in whatever order of its fields. */
export function jsonDigest(value: unknown): string {
  return `${DIGEST_VERSION}:${createHash('sha256').update(canonicalJson(value)).digest('hex')}`;
}
