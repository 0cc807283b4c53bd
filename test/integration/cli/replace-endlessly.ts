import { planTree } from '../../../cli/output/tree-plan.js';
import { recoverTree, writeTree } from '../../../cli/output/write-tree.js';

/** Replaces one tree by another and back for as long as it lives. For a test to kill. */
const out = process.argv[2] ?? '';
const tree = (text: string): ReadonlyMap<string, Uint8Array> =>
  new Map(
    Array.from({ length: 40 }, (_, index) => [
      `lab/agents/a${index}.yaml`,
      Buffer.from(`# Rendered by hermes-gitops from x. Do not edit.\n${text}\n`),
    ]),
  );

recoverTree(out);
for (let turn = 0; ; turn += 1) {
  writeTree(out, planTree(out, tree(turn % 2 === 0 ? 'even' : 'odd'), false));
  if (turn === 0) process.stdout.write('writing\n');
}
