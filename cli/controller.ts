import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Argv, CommandModule } from 'yargs';

interface ControllerEntry {
  main(argv: readonly string[]): Promise<number>;
}

/**
 * `hermes-gitops controller`. The controller parses its own flags, the same ones as in its image, where there is no CLI
 * around it; so everything after the verb is passed on as it stands.
 */
export const controllerCommand: CommandModule = {
  command: 'controller',
  describe: 'Run the status controller; `controller --help` shows its flags',
  builder: (yargs: Argv): Argv =>
    yargs.help(false).version(false).strict(false).parserConfiguration({ 'unknown-options-as-args': true }),
  handler: async (): Promise<void> => {
    const entry = await loadEntry();
    const verb = process.argv.indexOf('controller');
    process.exit(await entry.main(process.argv.slice(verb + 1)));
  },
};

/** The bundle needs half the memory of the separate files, so it is taken when it was built. */
async function loadEntry(): Promise<ControllerEntry> {
  const bundle = new URL('../controller/bundle.mjs', import.meta.url);
  if (existsSync(fileURLToPath(bundle))) return (await import(bundle.href)) as ControllerEntry;
  return import('../controller/entry.js');
}
