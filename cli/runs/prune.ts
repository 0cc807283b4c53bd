import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isObject } from '../../lib/api/canonical-json.js';
import { RUN_KIND } from '../../lib/api/identity.js';
import { readDocuments } from '../../lib/input/documents.js';
import { runSpecDigest } from '../../lib/validation/validate-run.js';
import type { KubeApi } from '../../controller/kube/client.js';
import { findObject } from '../../controller/kube/object-requests.js';
import { objectPath, RESOURCES } from '../../controller/kube/resources.js';
import { type ClusterFlags, withCluster } from '../cluster/connect.js';
import { EXIT, type ExitCode, IoError, UsageError } from '../exit-codes.js';
import { findFiles, type FoundFile } from '../input/find-files.js';
import type { Printer } from '../report.js';
import { isInRenderedTree } from '../output/own-inputs.js';
import type { StoredRun } from './list.js';
import { replaceFile } from './replace-file.js';
import { withoutDocuments } from './remove-documents.js';

/** Arguments of `runs prune`. */
export interface PruneOptions extends ClusterFlags {
  readonly inputs: readonly string[];
  /** Namespace of runs that name none. */
  readonly namespace?: string;
  readonly dryRun: boolean;
}

/** Removes from the inputs the runs that are over in the cluster. */
export function pruneRuns(options: PruneOptions, printer: Printer, cwd: string): Promise<ExitCode> {
  for (const input of options.inputs) {
    if (input === '-') throw new UsageError('runs are removed from files, and - is none; name files and folders');
    refuseRendered(resolve(cwd, input), input);
  }
  return withCluster(options, (api) => pruneWith(api, options, printer, cwd));
}

/** In a rendered file the AgentRun would go and its workload stay. */
function refuseRendered(path: string, name: string): void {
  if (isInRenderedTree(path)) throw new UsageError(`${name} is rendered; prune the inputs, then run synth --prune`);
}

/** {@link pruneRuns} with the API server of the cluster. */
export async function pruneWith(api: KubeApi, options: PruneOptions, printer: Printer, cwd: string): Promise<ExitCode> {
  const { files, failures } = findFiles(options.inputs, cwd);
  if (failures.length > 0) throw new IoError(failures.map((line) => `cannot read ${line}`).join('\n'));
  // Only a link leads from an input to a rendered file.
  for (const { path, name } of files) refuseRendered(path, name);
  const total = { removed: 0, left: 0 };
  for (const file of files) {
    const { removed, left } = await pruneFile(api, file, options, printer);
    total.removed += removed;
    total.left += left;
  }
  if (total.removed + total.left === 0) printer.out('no finished run in the inputs');
  if (total.removed > 0 && !options.dryRun)
    printer.out('run synth --prune to take them out of the rendered folder too');
  return total.left === 0 ? EXIT.done : EXIT.invalid;
}

/** How many finished runs of a file are taken out, and how many cannot be. */
interface PruneCount {
  readonly removed: number;
  readonly left: number;
}

/** A run in a file, and what has become of it. */
interface FinishedRun {
  readonly value: unknown;
  readonly line: string;
}

async function pruneFile(api: KubeApi, file: FoundFile, options: PruneOptions, printer: Printer): Promise<PruneCount> {
  const bytes = readFileSync(file.path);
  const { documents, problems } = readDocuments(bytes, file.name);
  const runs = documents.map(({ value }) => value).filter((value) => isObject(value) && value['kind'] === RUN_KIND);
  const finished: FinishedRun[] = [];
  for (const value of runs) {
    const line = await finishedLine(api, value as RunInput, options.namespace);
    if (line !== undefined) finished.push({ value, line });
  }
  if (finished.length === 0) return { removed: 0, left: 0 };
  const identities = new Set(finished.map(({ value }) => identity(value)));
  const { text, removed } = withoutDocuments(Buffer.from(bytes).toString('utf8'), (value) =>
    identities.has(identity(value)),
  );
  if (problems.length > 0 || removed !== finished.length) {
    for (const { line } of finished) printer.err(`${file.name}: error: ${line} cannot be taken out; remove it by hand`);
    return { removed: 0, left: finished.length };
  }
  if (!options.dryRun) replaceFile(file, text);
  const verb = options.dryRun ? 'would remove' : 'removed';
  for (const { line } of finished) printer.out(`${file.name}: ${verb} ${line}`);
  return { removed: finished.length, left: 0 };
}

interface RunInput {
  readonly metadata?: { readonly name?: unknown; readonly namespace?: unknown };
  readonly spec?: unknown;
}

/** `run lab/sum-1 (Succeeded)` of a run that is over; undefined for one that goes on, or is another of that name. */
async function finishedLine(
  api: KubeApi,
  { metadata = {}, spec }: RunInput,
  defaultNamespace: string | undefined,
): Promise<string | undefined> {
  const { name, namespace = defaultNamespace } = metadata;
  if (typeof name !== 'string' || typeof namespace !== 'string') return undefined;
  const path = objectPath(RESOURCES.runs, { name, namespace });
  const live = (await findObject(api, { path })) as StoredRun | undefined;
  if (live === undefined || runSpecDigest(live.spec) !== runSpecDigest(spec)) return undefined;
  const { phase } = live.status ?? {};
  return phase === 'Succeeded' || phase === 'Failed' ? `run ${namespace}/${name} (${phase})` : undefined;
}

function identity(value: unknown): string {
  const { kind, metadata } = value as { readonly kind?: unknown; readonly metadata?: RunInput['metadata'] };
  return kind === RUN_KIND ? JSON.stringify([metadata?.namespace ?? null, metadata?.name ?? null]) : '';
}
