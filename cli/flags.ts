/** A flag that is given twice comes as a list; the last one counts, as everywhere. */
export const lastOf = <T>(value: T | readonly T[]): T => (Array.isArray(value) ? value.at(-1) : value) as T;

/** The settings of the flag `-n`, as yargs takes them. */
interface NamespaceFlag {
  readonly alias: 'n';
  readonly type: 'string';
  readonly requiresArg: true;
  readonly coerce: typeof lastOf<string>;
  readonly describe: string;
}

/** The flag `-n`. */
export function namespaceFlag(describe: string): NamespaceFlag {
  return { alias: 'n', type: 'string', requiresArg: true, coerce: lastOf<string>, describe };
}
