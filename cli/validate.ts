import { renderFiles } from '../lib/fleet/render-files.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { readInputs } from './input/read-inputs.js';
import { hasErrors, type Printer, printReport } from './report.js';
import { type InputOptions, renderOptions, validationOptions } from './synth.js';

/** Judges the inputs as `synth` does, conflicts between agents included, and writes nothing. */
export function validate(options: InputOptions, printer: Printer, cwd: string): ExitCode {
  const files = readInputs(options.inputs, cwd);
  const { agents, problems, notes } = renderFiles(files, validationOptions(options), renderOptions(options));
  const empty = agents === 0 && !hasErrors(problems) ? ['no HermesAgent found'] : [];
  printReport({ problems, notes: [...notes, ...empty] }, options.format, printer);
  if (hasErrors(problems)) return EXIT.invalid;
  if (options.format === 'text') printer.out(`${agents} agent${agents === 1 ? '' : 's'} valid`);
  return EXIT.done;
}
