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
  const canonical = canonicalJson(normalizeWithoutDefaults(spec, schema));
  return `${DIGEST_VERSION}:${createHash('sha256').update(canonical).digest('hex')}`;
}
