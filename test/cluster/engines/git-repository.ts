import { execFile } from 'node:child_process';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Tree } from './engine.js';
import { writeTree } from './write-tree.js';

/** A bare repository with one branch, `main`. */
export interface GitRepository {
  /** `file://…` */
  readonly url: string;
  /** Commits these files as the whole content; resolves with the commit, a new one even where nothing differs. */
  commit(files: Tree): Promise<string>;
}

/** Makes an empty repository below a folder. */
export async function createGitRepository(folder: string, name: string): Promise<GitRepository> {
  const bare = join(folder, `${name}.git`);
  const work = join(folder, name);
  await mkdir(work, { recursive: true });
  await git(folder, 'init', '--quiet', '--bare', '--initial-branch=main', bare);
  await git(work, 'init', '--quiet', '--initial-branch=main');
  return {
    url: `file://${bare}`,
    commit: async (files) => {
      for (const entry of await readdir(work)) {
        if (entry !== '.git') await rm(join(work, entry), { recursive: true });
      }
      await writeTree(work, files);
      await git(work, 'add', '--all');
      await git(work, 'commit', '--quiet', '--allow-empty', '--message=Render');
      await git(work, 'push', '--quiet', bare, 'main');
      return (await git(work, 'rev-parse', 'HEAD')).trim();
    },
  };
}

/** Whose machine this is, and how its git is set up, must make no difference. */
const ENVIRONMENT = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'test',
  GIT_AUTHOR_EMAIL: 'test@example.net',
  GIT_COMMITTER_NAME: 'test',
  GIT_COMMITTER_EMAIL: 'test@example.net',
};

async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  const env = { ...Object.fromEntries(inherited), ...ENVIRONMENT };
  return (await promisify(execFile)('git', args, { cwd, env })).stdout;
}
