import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isObject } from '../../lib/api/canonical-json.js';
import { RUN_KIND } from '../../lib/api/identity.js';
import { TREE_INDEX } from '../../lib/emit/tree-index.js';
import { readDocuments } from '../../lib/input/documents.js';
import { runSpecDigest } from '../../lib/validation/validate-run.js';
import type { KubeApi } from '../../controller/kube/client.js';
import { findObject } from '../../controller/kube/object-requests.js';
import { objectPath, RESOURCES } from '../../controller/kube/resources.js';
import { type ClusterFlags, withCluster } from '../cluster/connect.js';
import { EXIT, type ExitCode, IoError, reasonOf, UsageError } from '../exit-codes.js';
import { findFiles, type FoundFile } from '../input/find-files.js';
import type { Printer } from '../report.js';
import type { StoredRun } from './list.js';
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
    if (existsSync(join(resolve(cwd, input), TREE_INDEX)))
      throw new UsageError(`${input} is rendered; prune the inputs, then run synth --prune`);
  }
  return withCluster(options, (api) => pruneWith(api, options, printer, cwd));
}

/** {@link pruneRuns} with the API server of the cluster. */
export async function pruneWith(api: KubeApi, options: PruneOptions, printer: Printer, cwd: string): Promise<ExitCode> {
  const { files, failures } = findFiles(options.inputs, cwd);
  if (failures.length > 0) throw new IoError(failures.map((line) => `cannot read ${line}`).join('\n'));
  let count = 0;
  for (const file of files) count += await pruneFile(api, file, options, printer);
  if (count === 0) printer.out('no finished run in the inputs');
  else if (!options.dryRun) printer.out('run synth --prune to take them out of the rendered folder too');
  return EXIT.done;
}

/** A run in a file, and what has become of it. */
interface FinishedRun {
  readonly value: unknown;
  readonly line: string;
}

async function pruneFile(api: KubeApi, file: FoundFile, options: PruneOptions, printer: Printer): Promise<number> {
  const bytes = readFileSync(file.path);
  const { documents, problems } = readDocuments(bytes, file.name);
  const runs = documents.map(({ value }) => value).filter((value) => isObject(value) && value['kind'] === RUN_KIND);
  const finished: FinishedRun[] = [];
  for (const value of runs) {
    const line = await finishedLine(api, value as RunInput, options.namespace);
    if (line !== undefined) finished.push({ value, line });
  }
  if (finished.length === 0) return 0;
  const identities = new Set(finished.map(({ value }) => identity(value)));
  const { text, removed } = withoutDocuments(Buffer.from(bytes).toString('utf8'), (value) =>
    identities.has(identity(value)),
  );
  if (problems.length > 0 || removed !== finished.length) {
    for (const { line } of finished) printer.err(`note: ${file.name}: ${line}, and has to be removed by hand`);
    return 0;
  }
  if (!options.dryRun) replace(file, text);
  const verb = options.dryRun ? 'would remove' : 'removed';
  for (const { line } of finished) printer.out(`${file.name}: ${verb} ${line}`);
  return finished.length;
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

function replace({ path, name }: FoundFile, text: string | undefined): void {
  try {
    if (text === undefined) rmSync(path);
    else {
      writeFileSync(`${path}.${process.pid}`, text);
      renameSync(`${path}.${process.pid}`, path);
    }
  } catch (error) {
    throw new IoError(`cannot write ${name}: ${reasonOf(error)}`, { cause: error });
  }
}
