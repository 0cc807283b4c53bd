import type { ResolvedRunSpec, ValidRun } from '../api/agent-run.js';
import { agentRunSchema } from '../api/crd.js';
import { applyDefaults } from '../api/defaults.js';
import { specDigest } from '../api/digest.js';
import type { AgentRunSpec } from '../api/generated/types.js';
import type { InputMetadata } from '../api/hermes-agent.js';
import { API_VERSION, RUN_KIND } from '../api/identity.js';
import { normalizeSpec } from '../api/normalize.js';
import { RUN_SPEC_SCHEMA } from '../api/schema-access.js';
import type { InputDocument } from '../input/documents.js';
import type { AgentSettings } from './agent/agent-check.js';
import type { MetadataInput } from './metadata.js';
import type { PathSegment, Problem } from './problem.js';
import { RUN_HINTS } from './rule-hints.js';
import { checkRun } from './run/checks.js';
import { locatedProblems, type ValidatedKind, validateObject } from './validate-object.js';

/** What the validation of a run depends on beside the run. */
export interface RunValidationOptions extends MetadataInput, Pick<AgentSettings, 'flux'> {}

/** The run when nothing is wrong with it, and everything that is. Whether its agent exists is not looked at. */
export interface RunValidationResult {
  readonly run?: ValidRun;
  readonly problems: readonly Problem[];
}

const KIND: ValidatedKind = {
  kind: RUN_KIND,
  schema: agentRunSchema,
  specSchema: RUN_SPEC_SCHEMA,
  hints: RUN_HINTS,
  specExample: 'agentRef and instructions',
};

/** Checks one AgentRun as the API server would check it and its workload, and completes it. */
export function validateRun(value: unknown, options: RunValidationOptions = {}): RunValidationResult {
  const { valid, problems } = validateObject(value, KIND, options, ({ spec, hasErrors }, report) => {
    checkRun({ spec, settings: options, hasErrors }, report);
  });
  return { ...(valid && { run: complete(valid.metadata, valid.spec) }), problems };
}

/** {@link validateRun} of a document of a file: every problem says where it is, and those of the text count too. */
export function validateRunDocument(document: InputDocument, options: RunValidationOptions): RunValidationResult {
  const sourceText = (path: readonly PathSegment[]): string | undefined => document.sourceText(path);
  const { run, problems } = validateRun(document.value, { sourceText, ...options });
  const isValid = run !== undefined && document.problems.length === 0;
  return { ...(isValid && { run }), problems: locatedProblems(document, problems) };
}

/** What a run's spec says, as its workload carries it; equal for the spec as written and as the API server stores it. */
export function runSpecDigest(spec: unknown): string {
  return specDigest(spec, RUN_SPEC_SCHEMA);
}

function complete(metadata: InputMetadata, written: unknown): ValidRun {
  const spec = normalizeSpec(written, RUN_SPEC_SCHEMA) as AgentRunSpec;
  return {
    object: { apiVersion: API_VERSION, kind: RUN_KIND, metadata, spec },
    name: metadata.name,
    namespace: metadata.namespace,
    spec: applyDefaults(spec, RUN_SPEC_SCHEMA) as ResolvedRunSpec,
    digest: runSpecDigest(spec),
  };
}
