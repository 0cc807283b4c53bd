import { isObject } from '../api/canonical-json.js';
import { applyDefaults } from '../api/defaults.js';
import type { InputMetadata } from '../api/hermes-agent.js';
import type { AGENT_KIND, RUN_KIND } from '../api/identity.js';
import type { JsonSchema } from '../api/json-schema.js';
import type { InputDocument } from '../input/documents.js';
import { celProblems } from './cel-rules.js';
import { checkEnvelope, checkMetadata, type MetadataInput } from './metadata.js';
import { checkNativeTypes } from './native/walk.js';
import { checkNulls } from './nulls.js';
import { formatPath, type PathSegment, type Problem } from './problem.js';
import { Reporter } from './reporter.js';
import { type RuleHints, withHint } from './rule-hints.js';
import { structuralProblems, type SourceText } from './structure.js';

/** What validation knows of a kind. */
export interface ValidatedKind {
  readonly kind: typeof AGENT_KIND | typeof RUN_KIND;
  /** The root schema, with the rules on the name. */
  readonly schema: JsonSchema;
  readonly specSchema: JsonSchema;
  readonly hints: RuleHints;
  /** What a spec needs, for the hint on a missing one. */
  readonly specExample: string;
}

/** An object whose shape is known, for the checks that are the kind's own. */
export interface ObjectUnderCheck {
  /** With defaults. Parts that `hasErrors` names may have any shape. */
  readonly spec: object;
  readonly metadata: InputMetadata | undefined;
  readonly hasErrors: (path: readonly PathSegment[]) => boolean;
}

/** The name and the spec as written when nothing is wrong with them, and everything that is. */
export interface ObjectVerdict {
  readonly valid?: { readonly metadata: InputMetadata; readonly spec: unknown };
  readonly problems: readonly Problem[];
}

/**
 * Checks one object as the API server would check it and what is rendered of it. `checkWhole` is called once the shape
 * is known, for what only this kind has.
 */
export function validateObject(
  value: unknown,
  kind: ValidatedKind,
  input: MetadataInput,
  checkWhole: (object: ObjectUnderCheck, report: Reporter) => void,
): ObjectVerdict {
  const report = new Reporter();
  if (!isObject(value)) {
    report.error([], { rule: 'WrongType', message: 'is no object', hint: 'write apiVersion, kind, metadata and spec' });
    return { problems: report.problems };
  }
  checkEnvelope(value, kind.kind, report);
  const metadata = checkMetadata(value['metadata'], input, report);
  const checked = checkSpec(value, kind, report, input.sourceText);
  if (checked !== undefined) {
    const { spec, misshapen } = checked;
    const hasErrors = anyWithin(misshapen);
    checkNativeTypes({ spec, schema: kind.specSchema }, hasErrors, report);
    checkWhole({ spec, metadata, hasErrors }, report);
  }
  const isValid = report.problems.every((problem) => problem.severity !== 'error');
  if (!isValid || metadata === undefined) return { problems: report.problems };
  return { valid: { metadata, spec: value['spec'] }, problems: report.problems };
}

/** A spec after schema and CEL. */
interface CheckedSpec {
  /** With defaults. */
  readonly spec: object;
  /** Where it does not have the shape of its type. */
  readonly misshapen: readonly (readonly PathSegment[])[];
}

/** Schema and CEL. Undefined when the spec is no object at all. */
function checkSpec(
  { spec, metadata }: { readonly spec?: unknown; readonly metadata?: unknown },
  kind: ValidatedKind,
  report: Reporter,
  sourceText?: SourceText,
): CheckedSpec | undefined {
  if (!isObject(spec)) {
    const isMissing = spec === undefined || spec === null;
    const rule = isMissing ? 'Required' : 'WrongType';
    const message = isMissing ? 'is required' : 'has to be a map';
    report.error(['spec'], { rule, message, hint: `add spec: with ${kind.specExample}` });
    return undefined;
  }
  const defaulted = applyDefaults(spec, kind.specSchema) as object;
  const structural = structuralProblems(defaulted, kind.specSchema, sourceText);
  report.addAll(structural);
  if (sourceText !== undefined) checkNulls({ spec, schema: kind.specSchema }, sourceText, report);
  const name = isObject(metadata) ? metadata['name'] : undefined;
  const blocks = blocksRules(structural, typeof name === 'string' && name !== '');
  for (const problem of celProblems({ spec: defaulted, metadata }, kind.schema, blocks)) {
    report.problems.push(withHint(problem, name, kind.hints));
  }
  return { spec: defaulted, misshapen: structural.map(({ path }) => path) };
}

/**
 * What is wrong with a stored object's spec by the schema and rules of the CRD alone. Empty for all that the API server
 * would accept today; the stricter rules of rendering do not count.
 */
export function storedSpecProblems(object: unknown, kind: ValidatedKind): readonly Problem[] {
  const report = new Reporter();
  checkSpec(isObject(object) ? object : {}, kind, report);
  return report.problems;
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

/** The problems of a document's text, and those of its value with their places. */
export function locatedProblems(document: InputDocument, problems: readonly Problem[]): readonly Problem[] {
  const doubted = new Set(document.problems.map(({ path }) => formatPath(path)));
  const located = problems
    // What the text leaves in doubt is said once, not again for the value that one of the readings gives.
    .filter(({ path, rule }) => rule !== 'QuotedValue' || !doubted.has(formatPath(path)))
    .map((problem) => ({
      ...problem,
      position: document.position(problem.path, KEY_RULES.has(problem.rule) ? 'key' : 'value'),
    }));
  return [...document.problems, ...located];
}

/** Rules that speak of a key and not of its value. */
const KEY_RULES = new Set(['UnknownField']);
