import { isObject } from '../api/canonical-json.js';
import { applyDefaults } from '../api/defaults.js';
import { specDigest } from '../api/digest.js';
import type { HermesAgentSpec } from '../api/generated/types.js';
import type { InputMetadata, ResolvedAgent, ResolvedAgentSpec } from '../api/hermes-agent.js';
import { AGENT_KIND, API_VERSION } from '../api/identity.js';
import { normalizeSpec } from '../api/normalize.js';
import type { InputDocument } from '../input/documents.js';
import type { AgentSettings } from './agent/agent-check.js';
import { checkAgent } from './agent/checks.js';
import { celProblems } from './cel-rules.js';
import { checkEnvelope, checkMetadata } from './metadata.js';
import { checkNativeTypes } from './native/walk.js';
import { checkNulls } from './nulls.js';
import { formatPath, type PathSegment, type Problem } from './problem.js';
import { Reporter } from './reporter.js';
import { withHint } from './rule-hints.js';
import { structuralProblems, type SourceText } from './structure.js';

/** What the platform allows, and what is known of the input beyond its data. */
export interface ValidationOptions extends AgentSettings {
  /** For inputs that name no namespace; without it that is an error. */
  readonly defaultNamespace?: string;
  /** How plain scalars are written in the file, for messages that quote them. */
  readonly sourceText?: SourceText;
}

/** The agent when nothing is wrong with it, and everything that is. */
export interface ValidationResult {
  readonly agent?: ResolvedAgent;
  readonly problems: readonly Problem[];
}

/** Checks one HermesAgent as the API server would check it and its children, and completes it. */
export function validateAgent(value: unknown, options: ValidationOptions): ValidationResult {
  const report = new Reporter();
  if (!isObject(value)) {
    report.error([], { rule: 'WrongType', message: 'is no object', hint: 'write apiVersion, kind, metadata and spec' });
    return { problems: report.problems };
  }
  checkEnvelope(value, report);
  const metadata = checkMetadata(value['metadata'], options, report);
  const checked = checkSpec(value['spec'], value['metadata'], report, options.sourceText);
  if (checked !== undefined) {
    const { spec, misshapen } = checked;
    const hasErrors = anyWithin(misshapen);
    checkNativeTypes(spec, hasErrors, report);
    checkAgent({ spec, metadata, settings: options, hasErrors }, report);
  }
  const isValid = report.problems.every((problem) => problem.severity !== 'error');
  if (!isValid || metadata === undefined) return { problems: report.problems };
  return { agent: resolve(metadata, value['spec']), problems: report.problems };
}

/** {@link validateAgent} of a document of a file: every problem says where it is, and those of the text count too. */
export function validateDocument(document: InputDocument, options: ValidationOptions): ValidationResult {
  const sourceText = (path: readonly PathSegment[]): string | undefined => document.sourceText(path);
  const { agent, problems } = validateAgent(document.value, { sourceText, ...options });
  const doubted = new Set(document.problems.map(({ path }) => formatPath(path)));
  const located = problems
    // What the text leaves in doubt is said once, not again for the value that one of the readings gives.
    .filter(({ path, rule }) => rule !== 'QuotedValue' || !doubted.has(formatPath(path)))
    .map((problem) => ({
      ...problem,
      position: document.position(problem.path, KEY_RULES.has(problem.rule) ? 'key' : 'value'),
    }));
  const isValid = agent !== undefined && document.problems.length === 0;
  return { ...(isValid && { agent }), problems: [...document.problems, ...located] };
}

/** Rules that speak of a key and not of its value. */
const KEY_RULES = new Set(['UnknownField']);

/**
 * What is wrong with a stored object's spec by the schema and rules of the CRD alone. Empty for all that the API server
 * would accept today; the stricter rules of rendering do not count.
 */
export function validateStoredSpec(object: unknown): readonly Problem[] {
  const report = new Reporter();
  const { spec, metadata } = isObject(object) ? object : {};
  checkSpec(spec, metadata, report);
  return report.problems;
}

/** A spec after schema and CEL. */
interface CheckedSpec {
  /** With defaults. */
  readonly spec: HermesAgentSpec;
  /** Where it does not have the shape of its type. */
  readonly misshapen: readonly (readonly PathSegment[])[];
}

/** Schema and CEL. Undefined when the spec is no object at all. */
function checkSpec(
  spec: unknown,
  metadata: unknown,
  report: Reporter,
  sourceText?: SourceText,
): CheckedSpec | undefined {
  if (!isObject(spec)) {
    const isMissing = spec === undefined || spec === null;
    const rule = isMissing ? 'Required' : 'WrongType';
    const message = isMissing ? 'is required' : 'has to be a map';
    report.error(['spec'], { rule, message, hint: 'add spec: with image and storage' });
    return undefined;
  }
  const defaulted = applyDefaults(spec);
  const structural = structuralProblems(defaulted, sourceText);
  report.addAll(structural);
  if (sourceText !== undefined) checkNulls(spec, sourceText, report);
  const name = isObject(metadata) ? metadata['name'] : undefined;
  const object = { spec: defaulted, metadata };
  for (const problem of celProblems(object, blocksRules(structural, typeof name === 'string' && name !== ''))) {
    report.problems.push(withHint(problem, name));
  }
  return { spec: defaulted as HermesAgentSpec, misshapen: structural.map(({ path }) => path) };
}

/** A rule is passed over when its value, or a direct field of it, is already reported; the root needs a name. */
function blocksRules(structural: readonly Problem[], hasName: boolean): (path: readonly PathSegment[]) => boolean {
  return (path) =>
    path.length === 0
      ? !hasName
      : structural.some((problem) => isWithin(problem.path, path) && problem.path.length <= path.length + 1);
}

/** Whether something is misshapen at a path, below it or above it; asked before a check reads what may have any shape. */
function anyWithin(misshapen: CheckedSpec['misshapen']): (path: readonly PathSegment[]) => boolean {
  return (path) => misshapen.some((wrong) => isWithin(wrong, path) || isWithin(path, wrong));
}

function isWithin(path: readonly PathSegment[], outer: readonly PathSegment[]): boolean {
  return path.length >= outer.length && outer.every((segment, index) => path[index] === segment);
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
