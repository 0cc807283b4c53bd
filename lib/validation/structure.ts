import type { JsonSchema } from '../api/json-schema.js';
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

/** Checks `spec` against its schema in the CRD and names everything that the API server would refuse. */
export function structuralProblems(spec: unknown, schema: JsonSchema, sourceText?: SourceText): readonly Problem[] {
  return schemaViolations(spec, schema).map((violation) =>
    structuralProblem({ ...violation, path: ['spec', ...violation.path] }, sourceText),
  );
}
