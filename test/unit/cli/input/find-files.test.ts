import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findFiles } from '../../../../cli/input/find-files.js';

let base: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'hermes-find-files-'));
  const paths = [
    'agents/b.yaml',
    'agents/a/z.yml',
    'agents/B.json',
    'agents/notes.txt',
    'agents/.hidden/x.yaml',
    'agents/.x.yaml',
    'dist/.hermes-gitops-index.json',
    'dist/lab/a.yaml',
    'odd.txt',
  ];
  for (const path of paths) {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), '');
  }
  symlinkSync('..', join(base, 'agents/a/loop'));
  symlinkSync('../b.yaml', join(base, 'agents/a/again.yaml'));
});

afterEach(() => {
  rmSync(base, { recursive: true, force: true });
});

describe('findFiles', () => {
  it.each([
    ['a folder, in the order of names', ['agents'], ['agents/B.json', 'agents/a/again.yaml', 'agents/a/z.yml']],
    ['a file whatever it is called', ['odd.txt'], ['odd.txt']],
    ['each file once', ['agents/b.yaml', 'agents'], ['agents/b.yaml', 'agents/B.json', 'agents/a/z.yml']],
    ['no rendered tree', ['.'], ['agents/B.json', 'agents/a/again.yaml', 'agents/a/z.yml']],
    ['a rendered tree when it is named', ['dist'], ['dist/lab/a.yaml']],
    ['a hidden file when it is named', ['agents/.x.yaml'], ['agents/.x.yaml']],
  ])('finds %s', (_, inputs, want) => {
    const { files, failures } = findFiles(inputs, base);
    expect(files.map(({ name }) => name)).toEqual(want);
    expect(failures).toEqual([]);
  });

  it('calls files the same from inside and by absolute paths', () => {
    const names = (inputs: string[], cwd: string): string[] => findFiles(inputs, cwd).files.map(({ name }) => name);
    expect(names([join(base, 'agents')], base)).toEqual(names(['agents'], base));
    expect(names([join(base, 'agents')], join(base, 'dist'))).toEqual(names(['agents'], base));
    expect(names(['../odd.txt'], join(base, 'dist'))).toEqual(['odd.txt']);
  });

  it('names everything that it cannot look into', () => {
    symlinkSync('nowhere', join(base, 'agents/broken.yaml'));
    expect(findFiles(['agents', 'gone'], base).failures).toEqual([
      'agents/broken.yaml: no such file or folder',
      'gone: no such file or folder',
    ]);
  });
});
