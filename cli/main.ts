#!/usr/bin/env node
import yargs, { type Argv } from 'yargs';
import { convertArguments, keepStdin, planArguments, synthArguments, validateArguments } from './arguments.js';
import { releaseArguments, uninstallArguments } from './cluster/arguments.js';
import { controllerCommand } from './controller.js';
import { initArguments } from './init/arguments.js';
import { EXIT, type ExitCode, IoError, messageOf, UsageError } from './exit-codes.js';
import { plainFlags } from './flags.js';
import { withoutHelpCache } from './help-cache.js';
import type { Printer } from './report.js';
import { runArguments } from './run/arguments.js';
import { listArguments, pruneArguments } from './runs/arguments.js';
import { packageVersion } from './version.js';

const printer: Printer = {
  out: (text) => process.stdout.write(`${text}\n`),
  err: (text) => process.stderr.write(`${text}\n`),
};

function runsVerbs(parser: Argv, end: (code: ExitCode) => void): Argv {
  return parser
    .command('list', 'Show the runs of the cluster', listArguments, async (options) => {
      const { listRuns } = await import('./runs/list.js');
      end(await listRuns(options, printer));
    })
    .command('prune <inputs..>', 'Remove finished runs from files', pruneArguments, async (options) => {
      const { pruneRuns } = await import('./runs/prune.js');
      end(await pruneRuns(options, printer, process.cwd()));
    })
    .demandCommand(1, 'name list or prune');
}

/** Verbs are loaded when they are called: a controller needs no YAML reader, and `synth` no Kubernetes client. */
async function run(argv: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = EXIT.done;
  await plainFlags(withoutHelpCache(yargs(keepStdin(argv))), argv)
    .scriptName('hermes-gitops')
    .usage('$0 <verb>: Hermes agents on Kubernetes, from Git')
    .command('synth <inputs..>', 'Render agents to manifests', synthArguments, async (options) => {
      const { synth } = await import('./synth.js');
      code = await synth(options, printer, process.cwd());
    })
    .command('validate <inputs..>', 'Say what is wrong with agents', validateArguments, async (options) => {
      const { validate } = await import('./validate.js');
      code = validate(options, printer, process.cwd());
    })
    .command('plan <inputs..>', 'Say what a change does before it is applied', planArguments, async (options) => {
      const { plan } = await import('./plan.js');
      code = await plan(options, printer, process.cwd());
    })
    .command('convert <inputs..>', 'Rewrite agents of the former group', convertArguments, async (options) => {
      const { convert } = await import('./convert.js');
      code = convert(options, printer, process.cwd());
    })
    .command('init <folder>', 'Lay out a repository that Flux or Argo CD syncs', initArguments, async (options) => {
      const { init } = await import('./init.js');
      code = init(options, printer, process.cwd());
    })
    .command('run', 'Run an agent of the cluster once', runArguments, async (options) => {
      const { run: runOnce } = await import('./run.js');
      code = await runOnce(options, printer);
    })
    .command('runs', 'Runs of the cluster', (parser) =>
      runsVerbs(parser, (result) => {
        code = result;
      }),
    )
    .command(controllerCommand)
    .command('release-finalizers', 'Let agents go whose controller is gone', releaseArguments, async (options) => {
      const { releaseFinalizers } = await import('./release-finalizers.js');
      code = await releaseFinalizers(options, printer);
    })
    .command('uninstall', 'Take the controller out of a cluster', uninstallArguments, async (options) => {
      const { uninstall } = await import('./uninstall.js');
      code = await uninstall(options, printer);
    })
    .demandCommand(1, 'name a verb')
    .strict()
    .version(packageVersion())
    .help()
    .alias('help', 'h')
    // Wide enough for a description to stay on its line, whatever terminal a CI job pretends to have.
    .wrap(110)
    .exitProcess(false)
    .fail((message: string, error: unknown) => {
      if (error instanceof Error) throw error;
      throw new UsageError(message);
    })
    .parseAsync();
  return code;
}

/** Mistakes of users are told in a sentence; only faults of this program come with their stack. */
function explain(error: unknown): ExitCode {
  if (error instanceof IoError) {
    for (const line of error.message.split('\n')) printer.err(`error: ${line}`);
    return EXIT.failure;
  }
  if (error instanceof UsageError || (error instanceof Error && error.name === 'YError')) {
    printer.err(`error: ${messageOf(error)}\nhermes-gitops --help tells more`);
    return EXIT.usage;
  }
  printer.err(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return EXIT.failure;
}

// A reader that has seen enough, as in `… | head`, is no failure.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

process.exitCode = await run(process.argv.slice(2)).catch(explain);
