import { resolve } from 'node:path';
import { EXIT, type ExitCode } from './exit-codes.js';
import type { InputOptions } from './input/options.js';
import { readInputs } from './input/read-inputs.js';
import { renderInputs } from './input/render-inputs.js';
import { hasErrors, type Printer, printReport } from './report.js';
import { counted } from './synth.js';

/** Arguments of `validate`. */
export interface ValidateOptions extends InputOptions {
  /** Where `synth` writes, or has written: runs that are there are rendered already. */
  readonly output: string;
}

/** Judges the inputs as `synth` does, conflicts between them included, and writes nothing. */
export function validate(options: ValidateOptions, printer: Printer, cwd: string): ExitCode {
  const files = readInputs(options.inputs, cwd);
  const rendered = renderInputs(files, options, resolve(cwd, options.output));
  const { agents, runs, problems, notes } = rendered;
  const empty = agents + runs === 0 && !hasErrors(problems) ? ['no HermesAgent and no AgentRun found'] : [];
  printReport({ problems, notes: [...notes, ...empty] }, options.format, printer);
  if (hasErrors(problems)) return EXIT.invalid;
  if (options.format === 'text') printer.out(`${counted(rendered)} valid`);
  return EXIT.done;
}
