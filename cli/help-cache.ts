import type { Argv } from 'yargs';

/** The part of yargs that lays out the help; its types leave it out. */
interface Internals {
  getInternalMethods?(): { getUsageInstance(): { cacheHelpMessage: () => void } };
}

/**
 * After each command yargs lays out the help of that command, in case somebody asks for it afterwards. Nobody does here,
 * and to measure the texts takes longer than to read the whole command line. Help that is asked for is not affected.
 */
export function withoutHelpCache<T>(parser: Argv<T>): Argv<T> {
  const usage = (parser as Internals).getInternalMethods?.().getUsageInstance();
  if (usage !== undefined) usage.cacheHelpMessage = (): void => undefined;
  return parser;
}
