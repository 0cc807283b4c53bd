import { lstatSync, mkdirSync, readdirSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { posix } from 'node:path';
import {
  type BootstrapOptions,
  type Engine,
  FOLDERS,
  MAX_NAMESPACE,
  repositoryPath,
} from '../lib/bootstrap/options.js';
import { repositoryFiles } from '../lib/bootstrap/repository.js';
import { dnsLabelTrouble } from '../lib/validation/name-syntax.js';
import { EXIT, type ExitCode, IoError, reasonOf, UsageError } from './exit-codes.js';
import type { Printer } from './report.js';
import { packageVersion } from './version.js';

/** Arguments of `init`. */
export interface InitOptions {
  /** Root of the repository. It need not be there yet. */
  readonly folder: string;
  readonly flux: boolean;
  readonly argocd: boolean;
  readonly repo?: string;
  readonly branch: string;
  /** Folder below the root that the layout goes to; `.` is the root. */
  readonly path: string;
  readonly namespace: string;
}

/** Lays out a repository, all of it or, where anything of it is there already, nothing. */
export function init(options: InitOptions, printer: Printer, cwd: string): ExitCode {
  const bootstrap = bootstrapOptions(options);
  const root = resolve(cwd, options.folder);
  const files = repositoryFiles(bootstrap);
  const present = [...new Set([...obstacles(root, files.keys()), ...filledFolders(root, bootstrap)])].sort();
  if (present.length > 0) {
    for (const path of present) printer.err(`${join(options.folder, path)}: error: is there already`);
    printer.err('error: nothing written; name another folder, or another --path in this one');
    return EXIT.invalid;
  }
  writeNew(root, files);
  for (const path of files.keys()) printer.out(join(options.folder, path));
  printer.out(`next: read ${join(options.folder, repositoryPath(bootstrap, FOLDERS.inputs, 'README.md'))}`);
  return EXIT.done;
}

function bootstrapOptions(options: InitOptions): BootstrapOptions {
  const { repo, branch, namespace } = options;
  const trouble = dnsLabelTrouble(namespace);
  if (trouble !== undefined) throw new UsageError(`--namespace ${namespace} ${trouble}`);
  if (namespace.length > MAX_NAMESPACE)
    throw new UsageError(`--namespace ${namespace} is longer than ${MAX_NAMESPACE} characters (${namespace.length})`);
  if (repo === '') throw new UsageError('--repo is empty; write the URL that the engine fetches');
  if (branch === '') throw new UsageError('--branch is empty; write the name of the branch that is synced');
  const engine = engineOf(options);
  if (engine === 'argocd' && repo === undefined)
    throw new UsageError('--argocd needs --repo with the URL that Argo CD fetches');
  return {
    engine,
    namespace,
    branch,
    path: pathInside(options.path),
    version: packageVersion(),
    ...(repo !== undefined && { repoUrl: repo }),
  };
}

function engineOf({ flux, argocd }: InitOptions): Engine {
  if (flux === argocd) throw new UsageError('name one engine: --flux or --argocd');
  return flux ? 'flux' : 'argocd';
}

/** A path below the root without `.` and `..`, empty for the root itself. */
function pathInside(path: string): string {
  const normal = posix.normalize(path).replace(/\/$/, '');
  if (posix.isAbsolute(normal) || normal.split('/')[0] === '..')
    throw new UsageError(`--path ${path} leads out of the repository; write a folder below its root`);
  return normal === '.' ? '' : normal;
}

/** What is in the way of a file: the file itself, or something that should be a folder. */
function obstacles(root: string, paths: Iterable<string>): readonly string[] {
  return [...paths].flatMap((path) => {
    const steps = path.split('/');
    const folders = steps.slice(1).map((_step, index) => steps.slice(0, index + 1).join('/'));
    const blocking = folders.filter((folder) => stats(join(root, folder))?.isDirectory() === false);
    return stats(join(root, path)) === undefined ? blocking : [...blocking, path];
  });
}

/** Folders of the layout that have something in them: whatever it is, the rendered files would not be all of it. */
function filledFolders(root: string, options: BootstrapOptions): readonly string[] {
  return Object.values(FOLDERS)
    .map((folder) => repositoryPath(options, folder))
    .filter((path) => stats(join(root, path))?.isDirectory() === true && readdirSync(join(root, path)).length > 0);
}

function stats(path: string): ReturnType<typeof lstatSync> {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // A file where a folder should be; it is reported as itself.
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined;
    throw new IoError(`cannot read ${path}: ${reasonOf(error)}`, { cause: error });
  }
}

/** Writes every file or, when one cannot be written, takes back those that were. */
function writeNew(root: string, files: ReadonlyMap<string, string>): void {
  const written: string[] = [];
  for (const [path, text] of files) {
    const target = join(root, path);
    try {
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, text, { flag: 'wx' });
      written.push(path);
    } catch (error) {
      for (const each of written) rmSync(join(root, each));
      for (const each of [...written, path]) removeEmptyFolders(root, each);
      throw new IoError(`cannot write ${target}: ${reasonOf(error)}`, { cause: error });
    }
  }
}

function removeEmptyFolders(root: string, path: string): void {
  for (let folder = posix.dirname(path); folder !== '.'; folder = posix.dirname(folder)) {
    try {
      rmdirSync(join(root, folder));
    } catch {
      return;
    }
  }
}
