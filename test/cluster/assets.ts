import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const FROM_ASSETS = ['etcd', 'kube-apiserver'];

/**
 * Path of a program in `KUBEBUILDER_ASSETS`, or undefined when it is to be compiled. The folder holds a set for one
 * version of Kubernetes: where that is another minor version than the wanted one, none of it is used.
 */
export async function programFromAssets(
  name: string,
  wanted: { readonly version: string; readonly folder: string | undefined },
): Promise<string | undefined> {
  const { folder, version } = wanted;
  if (folder === undefined || folder === '' || !FROM_ASSETS.includes(name)) return undefined;
  const file = join(folder, name);
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  if (!isThere) return undefined;
  return minorOf(await versionOf(join(folder, 'kube-apiserver'))) === minorOf(version) ? file : undefined;
}

async function versionOf(apiServer: string): Promise<string> {
  try {
    return (await promisify(execFile)(apiServer, ['--version'])).stdout;
  } catch {
    return '';
  }
}

/** `1.37` of `Kubernetes v1.37.2`. */
function minorOf(version: string): string | undefined {
  return /v(\d+\.\d+)\./.exec(version)?.[1];
}
