import type { Argv } from 'yargs';
import { UsageError } from './exit-codes.js';

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

/**
 * Takes of a flag only what its help shows: yargs would also read `--no-output` and `--output.x=y`, values of types that no
 * verb expects, and would take `--check=yes` for false.
 */
export function plainFlags<T>(parser: Argv<T>, argv: readonly string[]): Argv<T> {
  return parser.parserConfiguration({ 'dot-notation': false, 'boolean-negation': false }).check((parsed) => {
    for (const argument of argv) {
      const [, flag = '', value = ''] = /^(--?[^=]+)=(.*)$/s.exec(argument) ?? [];
      const isSwitch = typeof (parsed as Readonly<Record<string, unknown>>)[flag.replace(/^-+/, '')] === 'boolean';
      if (!isSwitch || value === 'true' || value === 'false') continue;
      throw new UsageError(`${flag} is a switch: write it alone, or with =true or =false`);
    }
    return true;
  });
}
