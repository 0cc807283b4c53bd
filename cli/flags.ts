/** A flag that is given twice comes as a list; the last one counts, as everywhere. */
export const lastOf = <T>(value: T | readonly T[]): T => (Array.isArray(value) ? value.at(-1) : value) as T;

/** The flag `-n`. */
export function namespaceFlag(describe: string) {
  return { alias: 'n', type: 'string', requiresArg: true, coerce: lastOf<string>, describe } as const;
}
