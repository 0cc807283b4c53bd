/** One step into a value: a key of a map or an index of a list. */
export type PathSegment = string | number;

/** Where in a file something was written. Lines and columns count from 1. */
export interface SourcePosition {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** One thing that is wrong with an input, or that will surprise its author. */
export interface Problem {
  readonly severity: 'error' | 'warning';
  /** Stable word for the rule, CamelCase, for example `UnknownField` or `ClusterRoleNotAllowed`. */
  readonly rule: string;
  /** From the root of the object: `['spec', 'env', 0, 'value']`. */
  readonly path: readonly PathSegment[];
  /** What is wrong, lower case, without the path. */
  readonly message: string;
  /** What to write instead. */
  readonly hint: string;
  /** Filled in by whoever read the object from a file. */
  readonly position?: SourcePosition;
}

/** A path as kubectl prints it: `spec.env[0].value`, keys that are no plain words in `["…"]`. */
export function formatPath(path: readonly PathSegment[]): string {
  return path
    .map((segment, index) => {
      if (typeof segment === 'number') return `[${segment}]`;
      if (!/^[A-Za-z_][A-Za-z0-9_-]*$/.test(segment)) return `[${JSON.stringify(segment)}]`;
      return index === 0 ? segment : `.${segment}`;
    })
    .join('');
}
