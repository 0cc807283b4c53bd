import { compile } from 'json-schema-to-typescript';
import { agentRunSpecSchema } from '../agent-run-schema.js';
import { agentRunStatusSchema } from '../agent-run-status-schema.js';
import { hermesAgentSpecSchema } from '../hermes-agent-schema.js';
import { hermesAgentStatusSchema } from '../hermes-agent-status-schema.js';
import type { JsonSchema } from '../json-schema.js';
import { mapSubschemas } from '../json-schema.js';
import { NATIVE_SCHEMAS } from '../generated/native-schemas.js';
import { sourceFile } from './source-file.js';

/** Text of lib/api/generated/types.ts: a declaration of every type that the schemas hold, ours and native. */
export async function typesFile(): Promise<string> {
  const $defs = Object.fromEntries(
    Object.entries({
      ...NATIVE_SCHEMAS,
      HermesAgentSpec: hermesAgentSpecSchema,
      HermesAgentStatus: hermesAgentStatusSchema,
      AgentRunSpec: agentRunSpecSchema,
      AgentRunStatus: agentRunStatusSchema,
    }).map(([name, schema]) => [name, forCompiler(schema)]),
  );
  const root = { title: 'Everything', type: 'object', properties: {}, additionalProperties: false, $defs };
  const text = await compile(root as never, 'Everything', {
    bannerComment: '',
    unreachableDefinitions: true,
    format: false,
    additionalProperties: false,
  });
  const declarations = text
    .replace(/\/\*\*\s*\* This interface was referenced by[\s\S]*?\*\/\n/g, '')
    .replace(/ \*\s*\n \* This interface was referenced by[\s\S]*?\*\//g, ' */')
    .replace(/export interface Everything \{\s*\}\s*/, '');
  return sourceFile(declarations);
}

/** The compiler knows draft-04 `id`-like keywords and `oneOf`; what it does not need it would print as prose. */
function forCompiler(schema: JsonSchema): JsonSchema {
  // A $ref with siblings would become a type of its own, EnvVar1 beside EnvVar.
  if (schema.$ref !== undefined) return { $ref: schema.$ref };
  const plain = Object.fromEntries(
    Object.entries(schema).filter(
      ([key]) => !key.startsWith('x-kubernetes') && !['maxItems', 'minItems', 'pattern'].includes(key),
    ),
  ) as JsonSchema;
  const mapped = mapSubschemas(plain, forCompiler);
  // Without it an object of which nothing is known would become one that may hold nothing.
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  return isOpen ? { ...mapped, additionalProperties: {} } : mapped;
}
