import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { describeOnBed } from '../../cluster/bed.js';
import { startCluster } from '../../cluster/cluster.js';
import { waitFor } from '../../cluster/wait.js';

/** Command lines of running processes that name the folder. */
function processesOf(directory: string): string[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      } catch {
        return '';
      }
    })
    .filter((command) => command.includes(directory));
}

describeOnBed('the end of a bed', () => {
  it.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
    'leaves no process and no folder when its owner gets %s',
    async (signal) => {
      const script = fileURLToPath(new URL('../../cluster/hold.ts', import.meta.url));
      const owner = spawn(process.execPath, ['--import', createRequire(import.meta.url).resolve('tsx'), script], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const directory = await new Promise<string>((resolve) => {
        owner.stdout.once('data', (chunk: Buffer) => {
          resolve(chunk.toString().trim());
        });
      });
      // The guardian, etcd and the API server.
      expect(processesOf(directory)).toHaveLength(3);
      owner.kill(signal);
      await waitFor(() => Promise.resolve(!existsSync(directory) && processesOf(directory).length === 0), {
        what: 'the end of the bed',
      });
    },
  );

  it('takes along what its programs have started, and is not held up by one that never ran', async () => {
    const cluster = await startCluster({ apiServerOnly: true });
    const { directory } = cluster;
    await cluster.run({ name: 'parent', command: '/bin/sh', args: ['-c', `tail -f ${directory}/kubeconfig; true`] });
    await waitFor(() => Promise.resolve(processesOf(directory).some((command) => command.startsWith('tail\0'))));
    await expect(cluster.run({ name: 'absent', command: '/nonexistent/program', args: [] })).rejects.toThrow(
      /^absent did not start: spawn \/nonexistent\/program ENOENT/,
    );
    await cluster.stop();
    expect(processesOf(directory)).toEqual([]);
    expect(existsSync(directory)).toBe(false);
  });
});
