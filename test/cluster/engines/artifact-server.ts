import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Tree } from './engine.js';
import { writeTree } from './write-tree.js';

/** Where a packed tree can be fetched, and what it hashes to. */
export interface Artifact {
  readonly url: string;
  readonly path: string;
  readonly digest: string;
  readonly size: number;
}

/** Serves packed trees, as a source-controller does. */
export interface ArtifactServer {
  publish(path: string, files: Tree): Promise<Artifact>;
  stop(): Promise<void>;
}

/** Starts a server on a free port of 127.0.0.1. */
export async function startArtifactServer(): Promise<ArtifactServer> {
  const artifacts = new Map<string, Buffer>();
  const server = http.createServer((request, response) => {
    const content = artifacts.get((request.url ?? '').slice(1));
    response.statusCode = content === undefined ? 404 : 200;
    response.end(content);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    publish: async (path, files) => {
      const content = await pack(files);
      artifacts.set(path, content);
      const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
      return { url: `http://127.0.0.1:${port}/${path}`, path, digest, size: content.length };
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function pack(files: Tree): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-gitops-artifact-'));
  try {
    await writeTree(join(folder, 'tree'), files);
    const archive = join(folder, 'tree.tar.gz');
    await promisify(execFile)('tar', ['-czf', archive, '-C', join(folder, 'tree'), '.']);
    return await readFile(archive);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
