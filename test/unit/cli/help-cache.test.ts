import { expect, it } from 'vitest';
import yargs, { type Argv } from 'yargs';

import { withoutHelpCache } from '../../../cli/help-cache.js';

interface Usage {
  getInternalMethods(): { getUsageInstance(): { hasCachedHelpMessage(): boolean } };
}

const withVerb = (parser: Argv): Argv =>
  parser.command(
    'sing <song>',
    'Sing a song',
    (verb) => verb.positional('song', { type: 'string' }),
    () => undefined,
  );

const hasLaidOutHelp = (parser: Argv): boolean =>
  (parser as unknown as Usage).getInternalMethods().getUsageInstance().hasCachedHelpMessage();

it('spares the laying out of help that nobody asked for', async () => {
  const usual = withVerb(yargs(['sing', 'x']));
  const spared = withVerb(withoutHelpCache(yargs(['sing', 'x'])));
  await Promise.all([usual.parseAsync(), spared.parseAsync()]);
  expect([hasLaidOutHelp(usual), hasLaidOutHelp(spared)]).toEqual([true, false]);
});

it('leaves help that is asked for as it is', async () => {
  const help = (parser: Argv): Promise<string> =>
    new Promise((resolve) => {
      void withVerb(parser)
        .scriptName('choir')
        .exitProcess(false)
        .parse(['sing', '--help'], (_error: unknown, _options: unknown, output: string) => {
          resolve(output);
        });
    });
  const spared = await help(withoutHelpCache(yargs()));
  expect(spared).toBe(await help(yargs()));
  expect(spared).toContain('choir sing <song>');
});
