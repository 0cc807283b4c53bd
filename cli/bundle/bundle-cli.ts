import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { NODE_BUNDLE } from '../../controller/bundle/node-bundle.js';
import { sourcesDigest } from '../output/renderer-digest.js';

/** What is not packed: the client of the cluster is large and of use to one verb alone, the controller has its own file. */
const EXTERNAL = ['@kubernetes/client-node', '../controller/entry.js'];

/**
 * Packs the CLI into a few files, one for each verb and some that verbs share: to find and read a hundred small ones
 * takes longer than to render a small fleet. Names stay, so that the stack of a fault can be read.
 */
export async function bundleCli(outdir: string): Promise<void> {
  await build({
    ...NODE_BUNDLE,
    entryPoints: [fileURLToPath(new URL('../main.ts', import.meta.url))],
    outdir,
    splitting: true,
    minifySyntax: true,
    minifyWhitespace: true,
    external: EXTERNAL,
    define: { HERMES_GITOPS_RENDERER: JSON.stringify(sourcesDigest()) },
  });
}
