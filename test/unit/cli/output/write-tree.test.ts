import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { planTree, type TreePlan } from '../../../../cli/output/tree-plan.js';
import { recoverTree, writeTree } from '../../../../cli/output/write-tree.js';
import { treeIndex } from '../../../../lib/emit/tree-index.js';

let base: string;
let out: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'hermes-write-tree-'));
  out = join(base, 'dist');
});

afterEach(() => {
  rmSync(base, { recursive: true, force: true });
});

const INDEX = '.hermes-gitops-index.json';
const ours = (text: string): string => `# Rendered by hermes-gitops from a.yaml. Do not edit.\n${text}`;

function tree(files: Record<string, string>): ReadonlyMap<string, Uint8Array> {
  const all = { ...files, [INDEX]: treeIndex(Object.keys(files)) };
  return new Map(Object.entries(all).map(([path, text]) => [path, Buffer.from(text)]));
}

function write(files: Record<string, string>, prune = false): TreePlan {
  const plan = planTree(out, tree(files), prune);
  writeTree(out, plan);
  return plan;
}

function put(path: string, text: string): void {
  mkdirSync(dirname(join(base, path)), { recursive: true });
  writeFileSync(join(base, path), text);
}

function found(folder = base): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !path.endsWith(INDEX))
      .sort()
      .map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]),
  );
}

describe.each([
  ['a folder that is ours alone', false],
  ['a folder that others use too', true],
])('writeTree into %s', (_, shared) => {
  beforeEach(() => {
    if (shared) put('dist/README.md', 'mine');
  });

  const rest = (files: Record<string, string>): Record<string, string> => ({
    ...(shared && { 'dist/README.md': 'mine' }),
    ...files,
  });

  it('writes what is new, replaces what changed, leaves the rest', () => {
    write({ 'lab/a.yaml': ours('1'), 'lab/b.yaml': ours('1') });
    const plan = write({ 'lab/a.yaml': ours('2'), 'lab/b.yaml': ours('1'), 'ops/c.yaml': ours('1') });
    expect(plan.changed).toEqual(['lab/a.yaml', 'ops/c.yaml', INDEX]);
    expect(plan.unchanged).toBe(1);
    expect(found()).toEqual(
      rest({ 'dist/lab/a.yaml': ours('2'), 'dist/lab/b.yaml': ours('1'), 'dist/ops/c.yaml': ours('1') }),
    );
  });

  it('writes nothing when nothing changed', () => {
    write({ 'a.yaml': ours('1') });
    const plan = write({ 'a.yaml': ours('1') }, true);
    expect([plan.changed, plan.removed, plan.unchanged]).toEqual([[], [], 2]);
  });

  it('keeps what is left over, remembers it, and removes it when asked', () => {
    write({ 'lab/a.yaml': ours('1'), 'b.yaml': ours('1') });
    expect(write({ 'b.yaml': ours('1') }).leftovers).toEqual(['lab/a.yaml']);
    expect(found()).toEqual(rest({ 'dist/b.yaml': ours('1'), 'dist/lab/a.yaml': ours('1') }));
    expect(write({ 'b.yaml': ours('1') }, true).removed).toEqual(['lab/a.yaml']);
    expect(found()).toEqual(rest({ 'dist/b.yaml': ours('1') }));
    expect(existsSync(join(out, 'lab'))).toBe(false);
  });

  it('never removes a file that somebody put in the place of ours', () => {
    write({ 'a.yaml': ours('1'), 'b.yaml': ours('1') });
    put('dist/a.yaml', 'by hand');
    const plan = write({ 'b.yaml': ours('1') }, true);
    expect([plan.removed, plan.leftovers]).toEqual([[], []]);
    expect(found()).toEqual(rest({ 'dist/a.yaml': 'by hand', 'dist/b.yaml': ours('1') }));
  });

  it('leaves nothing beside the folder', () => {
    write({ 'a.yaml': ours('1') });
    write({ 'a.yaml': ours('2') });
    expect(readdirSync(base)).toEqual(['dist']);
  });
});

describe('planTree', () => {
  beforeEach(() => {
    put('elsewhere/x', '');
    put('dist/a.yaml', 'kind: Secret\n');
    put('dist/c', 'a file');
    symlinkSync(join(base, 'elsewhere'), join(out, 'lab'));
    symlinkSync(join(base, 'elsewhere', 'x'), join(out, 'b.yaml'));
  });

  it.each([
    ['files', ['a.yaml', 'b.yaml', 'new.yaml'], ['a.yaml', 'b.yaml']],
    ['what should be folders', ['a.yaml', 'c/d.yaml', 'lab/e.yaml'], ['c', 'lab']],
  ])('names %s that are in the way and that synth did not write', (_, paths, want) => {
    const files = Object.fromEntries(paths.map((path) => [path, ours('1')]));
    expect(planTree(out, tree(files), false).foreign).toEqual(want);
  });

  it('does not follow a link to what was written once', () => {
    put('elsewhere/e.yaml', ours('1'));
    put(`dist/${INDEX}`, treeIndex(['lab/e.yaml']));
    expect(planTree(out, tree({ 'new.yaml': ours('1') }), true).removed).toEqual([]);
  });
});

describe('recoverTree', () => {
  const DEAD = 2 ** 22 + 1;

  it.each([
    ['takes the finished new tree when it was about to take its place', ['new', 'old'], 'new'],
    ['takes the old tree back when there is no new one', ['old'], 'old'],
    ['does not take a half-built tree', ['new'], undefined],
  ])('%s', (_, kinds, want) => {
    for (const kind of kinds) put(`.dist.hermes-gitops-${kind}-${DEAD}/a.yaml`, kind);
    recoverTree(out);
    expect(found()).toEqual(want === undefined ? {} : { 'dist/a.yaml': want });
    expect(readdirSync(base)).toEqual(want === undefined ? [] : ['dist']);
  });

  it('clears what a dead process left, and leaves what a living one builds', () => {
    put('dist/a.yaml', 'a');
    put(`.dist.hermes-gitops-new-${DEAD}/a.yaml`, 'dead');
    put(`.dist.hermes-gitops-new-1/a.yaml`, 'alive');
    put(`.dist-b.hermes-gitops-new-${DEAD}/a.yaml`, 'of another folder');
    recoverTree(out);
    expect(readdirSync(base).sort()).toEqual([
      `.dist-b.hermes-gitops-new-${DEAD}`,
      '.dist.hermes-gitops-new-1',
      'dist',
    ]);
  });
});
