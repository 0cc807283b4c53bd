import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { programFromAssets } from './assets.js';

/** One program that is compiled from a Go module under modules/. */
export interface BinarySpec {
  readonly name: string;
  /** Folder below modules/. */
  readonly module: string;
  /** Go package of its main function. */
  readonly goPackage: string;
}

const KUBERNETES_VERSION = 'v1.37.2';
const versionFlags = ['gitVersion=' + KUBERNETES_VERSION, 'gitMajor=1', 'gitMinor=37']
  .map((flag) => `-X k8s.io/component-base/version.${flag}`)
  .join(' ');

/** The programs of a control plane, in the order in which they are compiled: each makes the next one quicker. */
export const CONTROL_PLANE: readonly BinarySpec[] = [
  { name: 'etcd', module: 'kubernetes', goPackage: 'go.etcd.io/etcd/server/v3' },
  { name: 'kube-apiserver', module: 'kubernetes', goPackage: 'k8s.io/kubernetes/cmd/kube-apiserver' },
  { name: 'kubectl', module: 'kubernetes', goPackage: 'k8s.io/kubernetes/cmd/kubectl' },
  { name: 'kube-controller-manager', module: 'kubernetes', goPackage: 'k8s.io/kubernetes/cmd/kube-controller-manager' },
  { name: 'kube-scheduler', module: 'kubernetes', goPackage: 'k8s.io/kubernetes/cmd/kube-scheduler' },
  { name: 'kwok', module: 'kwok', goPackage: 'sigs.k8s.io/kwok/cmd/kwok' },
];

/** The engines that sync from Git, and the cache that one of them asks for. */
export const GITOPS_ENGINES: readonly BinarySpec[] = [
  { name: 'kustomize-controller', module: 'flux', goPackage: 'github.com/fluxcd/kustomize-controller' },
  { name: 'argocd', module: 'argocd', goPackage: 'github.com/argoproj/argo-cd/v3/cmd' },
  { name: 'redis', module: 'redis', goPackage: '.' },
];

/** What Flux's own library takes objects for. */
export const KSTATUS: BinarySpec = { name: 'kstatus', module: 'kstatus', goPackage: '.' };

/** Long enough to compile the slowest of them on a busy machine, in milliseconds. */
export const COMPILE_TIMEOUT_MS = 1_800_000;

/** Where the compiled programs are, by name. */
export type Binaries = Readonly<Record<string, string>>;

/** The programs are not there and cannot be compiled; the message says what to do. */
export class BinariesUnavailableError extends Error {
  override readonly name = 'BinariesUnavailableError';
}

/**
 * Paths of the programs, compiled on first use into a cache folder outside of the repository
 * (`$XDG_CACHE_HOME/hermes-gitops/<hash of the module>/`). `KUBEBUILDER_ASSETS`, which users of envtest have set,
 * takes the place of etcd and kube-apiserver where it has the same minor version.
 */
export async function ensureBinaries(
  specs: readonly BinarySpec[],
  report: (line: string) => void = reportToStderr,
): Promise<Binaries> {
  const found: Record<string, string> = {};
  for (const spec of specs) found[spec.name] = (await fromAssets(spec.name)) ?? (await ensureBinary(spec, report));
  return found;
}

/** Whether every program is there already, so that nothing would have to be compiled. */
export async function areBinariesCached(specs: readonly BinarySpec[]): Promise<boolean> {
  for (const spec of specs) {
    if ((await fromAssets(spec.name)) !== undefined) continue;
    if (!(await exists(join(await cacheFolder(spec.module), spec.name)))) return false;
  }
  return true;
}

/** Whether there is a Go toolchain to compile with. */
export async function hasGo(): Promise<boolean> {
  try {
    await promisify(execFile)('go', ['version']);
    return true;
  } catch {
    return false;
  }
}

function fromAssets(name: string): Promise<string | undefined> {
  return programFromAssets(name, { version: KUBERNETES_VERSION, folder: process.env['KUBEBUILDER_ASSETS'] });
}

async function ensureBinary(spec: BinarySpec, report: (line: string) => void): Promise<string> {
  const folder = await cacheFolder(spec.module);
  const target = join(folder, spec.name);
  if (await exists(target)) return target;
  if (!(await hasGo())) {
    throw new BinariesUnavailableError(
      `${spec.name} has to be compiled once and there is no Go toolchain: install Go 1.26 or newer`,
    );
  }
  await mkdir(folder, { recursive: true });
  return withLock(join(folder, `${spec.name}.lock`), report, async () => {
    if (!(await exists(target))) await compile(spec, target, report);
    return target;
  });
}

async function compile(spec: BinarySpec, target: string, report: (line: string) => void): Promise<void> {
  const startedAt = Date.now();
  const elapsed = (): string => `${Math.round((Date.now() - startedAt) / 1000)} s`;
  report(`compiling ${spec.name} (once, cached afterwards)`);
  const ticker = setInterval(() => {
    report(`compiling ${spec.name}: ${elapsed()}`);
  }, 15_000);
  const partial = `${target}.partial`;
  try {
    await run('go', ['build', '-mod=mod', '-trimpath', '-ldflags', ldflags(spec), '-o', partial, spec.goPackage], {
      cwd: moduleFolder(spec.module),
    });
    await rename(partial, target);
    report(`compiled ${spec.name} in ${elapsed()}`);
  } finally {
    clearInterval(ticker);
    await rm(partial, { force: true });
  }
}

function ldflags(spec: BinarySpec): string {
  return spec.module === 'kubernetes' ? `-s -w ${versionFlags}` : '-s -w';
}

function run(command: string, args: readonly string[], options: { readonly cwd: string }): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'ignore', 'pipe'] });
    const errors: Buffer[] = [];
    child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${command} ${args.join(' ')} failed:\n${Buffer.concat(errors).toString()}`));
    });
  });
}

/** One compile at a time, also between processes; a lock whose owner is gone is taken over. */
async function withLock<T>(file: string, report: (line: string) => void, work: () => Promise<T>): Promise<T> {
  for (let isFirst = true; ; isFirst = false) {
    try {
      const handle = await open(file, 'wx');
      await handle.write(String(process.pid));
      await handle.close();
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (await isAbandoned(file)) await rm(file, { force: true });
      else if (isFirst) report(`waiting for another process that compiles (${file})`);
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
}

async function isAbandoned(file: string): Promise<boolean> {
  try {
    const owner = Number(await readFile(file, 'utf8'));
    // Between creating the lock and writing the pid it is empty for a moment.
    if (!Number.isInteger(owner) || owner <= 0) return Date.now() - (await stat(file)).mtimeMs > 10_000;
    process.kill(owner, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Folder of what is made from a Go module under modules/; another one when that changes. */
export async function cacheFolder(module: string): Promise<string> {
  const hash = createHash('sha256');
  for (const file of ['go.mod', 'go.sum']) hash.update(await readFile(join(moduleFolder(module), file)));
  // A program of our own, where there is one.
  hash.update(await readFile(join(moduleFolder(module), 'main.go')).catch(() => ''));
  const root = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return join(root, 'hermes-gitops', hash.digest('hex').slice(0, 16));
}

/** Folder of a Go module under modules/. */
export function moduleFolder(module: string): string {
  return fileURLToPath(new URL(`modules/${module}`, import.meta.url));
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

function reportToStderr(line: string): void {
  process.stderr.write(`${line}\n`);
}
