import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { imageEntry } from '../../support/image-entry.js';

const ROOT = join(import.meta.dirname, '../../..');
const DIGEST = `@sha256:${'0'.repeat(64)}`;
const ARGUMENTS = { BUILD_IMAGE: `node${DIGEST}`, BASE_IMAGE: `base${DIGEST}`, COMMIT: 'abc123def456' };

const instructions = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
  .split('\n')
  .filter((line) => /^[A-Z]/.test(line));
const finalStage = instructions.slice(instructions.findLastIndex((line) => line.startsWith('FROM ')));
const runs = instructions.filter((line) => line.startsWith('RUN ')).map((line) => line.slice('RUN '.length));

/** No container engine is needed: what the Dockerfile runs is run here, in folders as empty as its own. */
describe('the image', () => {
  let folder: string;
  let source: string;
  let app: string;

  const run = (command: string, environment: Readonly<Record<string, string>> = ARGUMENTS): void => {
    const env = { PATH: process.env['PATH'], HOME: process.env['HOME'], ...environment };
    const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', command], { cwd: source, encoding: 'utf8', env });
    if (status !== 0) throw new Error(`${command}: ${stdout}${stderr}`);
  };

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hermes-image-'));
    source = join(folder, 'src');
    app = join(folder, 'app');
    const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
    for (const name of readdirSync(ROOT).filter((entry) => !ignored.includes(entry))) {
      cpSync(join(ROOT, name), join(source, name), { recursive: true });
    }
    for (const command of runs) run(command);
    mkdirSync(app);
    for (const line of finalStage.filter((copy) => copy.startsWith('COPY --from=build /src/'))) {
      const [, , ...paths] = line.split(' ');
      expect(paths.pop()).toBe('/app/');
      for (const path of paths) cpSync(path.replace('/src', source), join(app, basename(path)));
    }
    rmSync(source, { recursive: true });
    mkdirSync(source);
  }, 300_000);
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('holds the bundle and the licence alone', () => {
    expect(readdirSync(app).sort()).toEqual(['LICENSE', 'bundle.mjs']);
  });

  it('runs with Node alone and tells version and commit', () => {
    const { nodeFlags, script } = imageEntry();
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
    const output = execFileSync(process.execPath, [...nodeFlags, join(folder, script), '--version'], {
      cwd: app,
      encoding: 'utf8',
      env: {},
    });
    expect(output).toBe(`hermes-gitops controller ${version} (${ARGUMENTS.COMMIT})\n`);
  });

  it('runs as nobody', () => {
    expect(finalStage).toContain('USER 65532:65532');
  });

  it.each([
    ['both by tag', 'node:20', 'base:1'],
    ['the base by tag', ARGUMENTS.BUILD_IMAGE, 'base:1'],
    ['no base', ARGUMENTS.BUILD_IMAGE, ''],
  ])('is not built from images that can change: %s', (_what, BUILD_IMAGE, BASE_IMAGE) => {
    expect(() => {
      run(runs[0] ?? '', { BUILD_IMAGE, BASE_IMAGE });
    }).toThrow('is not given by digest');
  });
});
