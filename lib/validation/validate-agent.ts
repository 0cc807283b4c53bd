import { isObject } from '../api/canonical-json.js';
import { hermesAgentSchema } from '../api/crd.js';
import { applyDefaults } from '../api/defaults.js';
import { specDigest } from '../api/digest.js';
import type { HermesAgentSpec } from '../api/generated/types.js';
import type { InputMetadata, ResolvedAgent, ResolvedAgentSpec } from '../api/hermes-agent.js';
import { AGENT_KIND, API_VERSION } from '../api/identity.js';
import { normalizeSpec } from '../api/normalize.js';
import { AGENT_SPEC_SCHEMA } from '../api/schema-access.js';
import type { InputDocument } from '../input/documents.js';
import type { AgentSettings } from './agent/agent-check.js';
import { checkAgent } from './agent/checks.js';
import type { MetadataInput } from './metadata.js';
import type { PathSegment, Problem } from './problem.js';
import { AGENT_HINTS } from './rule-hints.js';
import { locatedProblems, storedSpecProblems, type ValidatedKind, validateObject } from './validate-object.js';

/** What the platform allows, and what is known of the input beyond its data. */
export interface ValidationOptions extends AgentSettings, MetadataInput {}

/** The agent when nothing is wrong with it, and everything that is. */
export interface ValidationResult {
  readonly agent?: ResolvedAgent;
  readonly problems: readonly Problem[];
}

const KIND: ValidatedKind = {
  kind: AGENT_KIND,
  schema: hermesAgentSchema,
  specSchema: AGENT_SPEC_SCHEMA,
  hints: AGENT_HINTS,
  specExample: 'image and storage',
};

/** Checks one HermesAgent as the API server would check it and its children, and completes it. */
export function validateAgent(value: unknown, options: ValidationOptions): ValidationResult {
  const { valid, problems } = validateObject(value, KIND, options, ({ spec, ...rest }, report) => {
    checkAgent({ ...rest, spec: spec as HermesAgentSpec, settings: options }, report);
  });
  return { ...(valid && { agent: resolve(valid.metadata, valid.spec) }), problems };
}

/** {@link validateAgent} of a document of a file: every problem says where it is, and those of the text count too. */
export function validateDocument(document: InputDocument, options: ValidationOptions): ValidationResult {
  const sourceText = (path: readonly PathSegment[]): string | undefined => document.sourceText(path);
  const { agent, problems } = validateAgent(document.value, { sourceText, ...options });
  const isValid = agent !== undefined && document.problems.length === 0;
  return { ...(isValid && { agent }), problems: locatedProblems(document, problems) };
}

/** {@link storedSpecProblems} of an agent. */
export function validateStoredSpec(object: unknown): readonly Problem[] {
  return storedSpecProblems(object, KIND);
}

/** An agent as the API server stores it, completed; undefined when it is not one that the CRD accepts today. */
export function resolveStoredAgent(object: Readonly<Record<string, unknown>>): ResolvedAgent | undefined {
  const { metadata, spec } = object;
  if (!isObject(metadata) || validateStoredSpec(object).length > 0) return undefined;
  return resolve({ name: String(metadata['name']), namespace: String(metadata['namespace']) }, spec);
}

function resolve(metadata: InputMetadata, written: unknown): ResolvedAgent {
  const spec = normalizeSpec(written) as HermesAgentSpec;
  return {
    object: { apiVersion: API_VERSION, kind: AGENT_KIND, metadata, spec },
    name: metadata.name,
    namespace: metadata.namespace,
    spec: applyDefaults(spec) as ResolvedAgentSpec,
    digest: specDigest(spec),
  };
}
