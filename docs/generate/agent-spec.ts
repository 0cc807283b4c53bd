import { agentRunSchema, hermesAgentSchema } from '../../lib/api/crd.js';
import type { JsonSchema } from '../../lib/api/json-schema.js';
import { AGENT_SPEC_SCHEMA, followRef, RUN_SPEC_SCHEMA } from '../../lib/api/schema-access.js';
import { STRICTER_RULES } from '../../lib/validation/stricter-rules.js';
import { cell, code, page, table } from './markdown.js';

/** One field of the spec, as the reference shows it. */
export interface FieldRow {
  /** From the root of the object; `[]` stands for every item of a list. */
  readonly path: string;
  readonly type: string;
  readonly default: string;
  readonly description: string;
  readonly rules: readonly string[];
}

/** Every field of ours, in the order of the schema. What is inside of a Kubernetes type is left to its own reference. */
export function fieldRows(schema: JsonSchema = AGENT_SPEC_SCHEMA): readonly FieldRow[] {
  return rowsOf('spec', schema);
}

/** The page on the spec of runs. The rules of rendering are on that of agents. */
export function runSpecPage(): Promise<string> {
  const rules = [...rulesOf('metadata', agentRunSchema), ...rulesOf('spec', RUN_SPEC_SCHEMA)];
  return page(
    `# The spec of an AgentRun

[runs.md](runs.md) says how runs are written and what becomes of them. Types with a capital letter are those of
Kubernetes, whole; [its reference](https://kubernetes.io/docs/reference/kubernetes-api/) describes them.

${fieldTable(RUN_SPEC_SCHEMA)}

## Rules that look at more than one field

The API server refuses what breaks one of these, as rendering does.

${table(['Where', 'Rule'], rules)}

Rendering is stricter in a few things: see [the rules of rendering alone](agent-spec.md#rules-of-rendering-alone).
`,
  );
}

function fieldTable(schema: JsonSchema): string {
  const fields = fieldRows(schema).map(({ path, type, default: value, description, rules }) => [
    code(path),
    cell(type),
    value === '' ? '' : code(value),
    cell(description),
    cell(rules.join('; ')),
  ]);
  return table(['Field', 'Type', 'Default', 'What it is', 'Rules'], fields);
}

/** The page on the spec of agents. */
export function agentSpecPage(): Promise<string> {
  const rules = [...rulesOf('metadata', hermesAgentSchema), ...rulesOf('spec', AGENT_SPEC_SCHEMA)];
  const stricter = STRICTER_RULES.map(({ rule, reason }) => [code(rule), cell(reason)]);
  return page(
    `# The spec of a HermesAgent

Types with a capital letter are those of Kubernetes, whole; [its reference](https://kubernetes.io/docs/reference/kubernetes-api/)
describes them. Every other field is here.

${fieldTable(AGENT_SPEC_SCHEMA)}

## Rules that look at more than one field

The API server refuses what breaks one of these, as rendering does.

${table(['Where', 'Rule'], rules)}

## Rules of rendering alone

The API server would take these; \`synth\`, \`validate\` and the constructs refuse them.

${table(['Rule', 'Why'], stricter)}
`,
  );
}

function rowsOf(path: string, schema: JsonSchema): readonly FieldRow[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const at = `${path}.${name}`;
    const own = row(at, field, (schema.required ?? []).includes(name));
    return [own, ...(field.items === undefined ? rowsOf(at, field) : rowsOf(`${at}[]`, field.items))];
  });
}

function row(path: string, field: JsonSchema, isRequired: boolean): FieldRow {
  const value = field.default === undefined ? '' : JSON.stringify(field.default).replaceAll('"', '');
  return {
    path,
    type: typeName(field),
    default: value,
    description: field.description ?? '',
    rules: [...(isRequired ? ['required'] : []), ...bounds(field)],
  };
}

function typeName(field: JsonSchema): string {
  const native = followRef(field).typeName;
  if (native !== undefined) return native;
  if (field.items !== undefined) return `list of ${typeName(field.items)}`;
  if (field.additionalProperties !== undefined) return `map of ${typeName(field.additionalProperties)}`;
  return field.type === 'object' ? 'map' : (field.type ?? 'any');
}

function bounds(field: JsonSchema): readonly string[] {
  const { enum: choices, minimum, minLength = 0, maxLength, maxItems, pattern } = field;
  const keys = field['x-kubernetes-list-map-keys'];
  return [
    ...(choices === undefined ? [] : [`one of ${choices.map(String).join(', ')}`]),
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(minLength === 0 ? [] : ['not empty']),
    ...(maxLength === undefined ? [] : [`at most ${maxLength} characters`]),
    ...(maxItems === undefined ? [] : [`at most ${maxItems} items`]),
    ...(keys === undefined ? [] : [`no two items of one ${keys.join(' and ')}`]),
    ...(pattern === undefined ? [] : [`matches ${pattern}`]),
  ];
}

function rulesOf(path: string, schema: JsonSchema): readonly (readonly string[])[] {
  const own = (schema['x-kubernetes-validations'] ?? []).map(({ message = '' }) => [code(path), cell(message)]);
  if (path === 'metadata') return own;
  const below = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => rulesOf(`${path}.${name}`, field));
  return [...own, ...below];
}
