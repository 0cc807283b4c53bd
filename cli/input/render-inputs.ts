import type { Layout } from '../../lib/emit/layout.js';
import { formerRuns } from '../../lib/emit/rendered-run.js';
import type { FleetFile } from '../../lib/fleet/read-fleet.js';
import { type RenderedFiles, renderFiles } from '../../lib/fleet/render-files.js';
import { formerFile } from '../output/tree-plan.js';
import { type InputOptions, renderOptions, validationOptions } from './options.js';

/** Arguments that the rendered tree depends on. */
export interface TreeOptions extends InputOptions {
  /** Absolute path of where the tree is or will be: runs that are there stay as they are. */
  readonly output: string;
  /** What messages call it. */
  readonly outputName: string;
  readonly layout?: Layout;
}

/** Renders what the arguments of a verb mean to the tree that belongs into the output folder. Writes nothing. */
export function renderInputs(files: readonly FleetFile[], options: TreeOptions): RenderedFiles {
  return renderFiles(files, validationOptions(options), {
    ...renderOptions(options),
    ...(options.layout !== undefined && { layout: options.layout }),
    former: formerRuns(formerFile(options.output), options.outputName),
  });
}
