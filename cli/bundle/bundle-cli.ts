import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { sourcesDigest } from '../output/renderer-digest.js';

/** What is not packed: the client of the cluster is large and of use to one verb alone, the controller has its own file. */
const EXTERNAL = ['@kubernetes/client-node', '../controller/entry.js'];

/**
 * Packs the CLI into a few files, one for each verb and some that verbs share: to find and read a hundred small ones
 * takes longer than to render a small fleet. Names stay, so that the stack of a fault can be read.
 */
export async function bundleCli(outdir: string): Promise<void> {
  await build({
    entryPoints: [fileURLToPath(new URL('../main.ts', import.meta.url))],
    outdir,
    bundle: true,
    splitting: true,
    minifySyntax: true,
    minifyWhitespace: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    external: EXTERNAL,
    legalComments: 'linked',
    logLevel: 'warning',
    define: { HERMES_GITOPS_RENDERER: JSON.stringify(sourcesDigest()) },
    // Packages that are still CommonJS call require for Node's own modules.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
  });
}
