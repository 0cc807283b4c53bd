import { AGENT_SPEC_SCHEMA } from '../api/schema-access.js';
import type { PathSegment, Problem } from './problem.js';
import { schemaViolations } from './schema-check.js';
import { structuralProblem } from './structure-messages.js';

export type { Violation } from './schema-check.js';

/** Two items of a list that have their keys in common. */
export interface DuplicateItem {
  readonly keys: readonly string[];
  readonly first: number;
  readonly second: number;
}

/** The text of a plain scalar as its author wrote it, when the object came from a file. */
export type SourceText = (path: readonly PathSegment[]) => string | undefined;

/** Checks `spec` against the schema of the CRD and names everything that the API server would refuse. */
export function structuralProblems(spec: unknown, sourceText?: SourceText): readonly Problem[] {
  return schemaViolations(spec, AGENT_SPEC_SCHEMA).map((violation) =>
    structuralProblem({ ...violation, path: ['spec', ...violation.path] }, sourceText),
  );
}
