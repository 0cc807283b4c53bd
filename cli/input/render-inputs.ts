import { join } from 'node:path';
import type { Layout } from '../../lib/emit/layout.js';
import { formerRuns } from '../../lib/emit/rendered-run.js';
import type { FleetFile } from '../../lib/fleet/read-fleet.js';
import { type RenderedFiles, renderFiles } from '../../lib/fleet/render-files.js';
import { formerFile } from '../output/tree-plan.js';
import { type InputOptions, renderOptions, validationOptions } from './options.js';

/** Arguments that the rendered tree depends on. */
export interface TreeOptions extends InputOptions {
  /** Where the tree is or will be, as messages call it. */
  readonly output: string;
  readonly layout?: Layout;
}

/**
 * Renders what the arguments of a verb mean to the tree that belongs into `out`, the absolute path of the output folder.
 * Runs that are there stay as they are. Writes nothing.
 */
export function renderInputs(files: readonly FleetFile[], options: TreeOptions, out: string): RenderedFiles {
  return renderFiles(files, validationOptions(options), {
    ...renderOptions(options),
    ...(options.layout !== undefined && { layout: options.layout }),
    former: formerRuns(formerFile(out), join(options.output)),
  });
}
