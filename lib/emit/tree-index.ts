/** Name of the file at the root of a rendered tree that lists what synth wrote. */
export const TREE_INDEX = '.hermes-gitops-index.json';

/** The index of a tree. Only paths, one a line: two branches that each add an agent merge without a conflict here. */
export function treeIndex(paths: Iterable<string>): string {
  return `${JSON.stringify({ version: 1, files: [...paths].sort() }, null, 2)}\n`;
}

/** The paths of an index; undefined when `text` is not one. Paths that lead out of the tree are left out. */
export function readTreeIndex(text: string): readonly string[] | undefined {
  try {
    const index: unknown = JSON.parse(text);
    if (typeof index !== 'object' || index === null || !('files' in index) || !Array.isArray(index.files))
      return undefined;
    return index.files.filter((path: unknown): path is string => typeof path === 'string' && staysInside(path));
  } catch {
    return undefined;
  }
}

function staysInside(path: string): boolean {
  return (
    path !== '' && !path.includes('\\') && path.split('/').every((step) => step !== '' && step !== '.' && step !== '..')
  );
}
