import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { distFiles } from '../../../charts/dist.js';
import { synth } from '../../../cli/synth.js';
import { SYNTH_DEFAULTS } from '../../support/synth-defaults.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');

function read(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]),
  );
}

const expected = Object.fromEntries(
  [...distFiles(ROOT)].map(([path, content]) => [path, Buffer.from(content).toString('utf8')]),
);

describe('dist', () => {
  it('is what cdk8s synth writes now', () => {
    expect(read(join(ROOT, 'dist'))).toEqual(expected);
  });

  it('holds the same bytes of the fleet as hermes-gitops synth writes', async () => {
    const out = mkdtempSync(join(tmpdir(), 'hermes-dist-'));
    const cacheHome = process.env['XDG_CACHE_HOME'];
    process.env['XDG_CACHE_HOME'] = join(out, 'cache');
    try {
      // Runs stay as they were rendered, so the tree that is there counts.
      cpSync(join(ROOT, 'dist', 'fleet'), join(out, 'fleet'), { recursive: true });
      const options = {
        ...SYNTH_DEFAULTS,
        inputs: ['examples'],
        output: join(out, 'fleet'),
      };
      const silent = { out: (): void => undefined, err: (): void => undefined };
      expect(await synth(options, silent, ROOT)).toBe(0);
      const fleet = Object.entries(expected)
        .filter(([path]) => path.startsWith('fleet/'))
        .map(([path, text]) => [path.slice('fleet/'.length), text]);
      expect(read(join(out, 'fleet'))).toEqual(Object.fromEntries(fleet));
    } finally {
      rmSync(out, { recursive: true, force: true });
      if (cacheHome === undefined) delete process.env['XDG_CACHE_HOME'];
      else process.env['XDG_CACHE_HOME'] = cacheHome;
    }
  });
});
