import { renderFleet } from '../lib/emit/fleet.js';
import { readFleet } from '../lib/fleet/read-fleet.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { readInputs } from './input/read-inputs.js';
import { hasErrors, type Printer, printReport } from './report.js';
import { type InputOptions, renderOptions, validationOptions } from './synth.js';

/** Judges the inputs as `synth` does, conflicts between agents included, and writes nothing. */
export function validate(options: InputOptions, printer: Printer, cwd: string): ExitCode {
  const { agents, problems, notes } = readFleet(readInputs(options.inputs, cwd), validationOptions(options));
  const all = [...problems, ...renderFleet(agents, renderOptions(options)).problems];
  const empty = agents.length === 0 && !hasErrors(all) ? ['no HermesAgent found'] : [];
  printReport({ problems: all, notes: [...notes, ...empty] }, options.format, printer);
  if (hasErrors(all)) return EXIT.invalid;
  if (options.format === 'text') printer.out(`${agents.length} agent${agents.length === 1 ? '' : 's'} valid`);
  return EXIT.done;
}
