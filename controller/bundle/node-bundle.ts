import type { BuildOptions } from 'esbuild';

/** How everything is packed that Node.js runs: as ES modules, for the oldest version that is supported. */
export const NODE_BUNDLE = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  legalComments: 'linked',
  logLevel: 'warning',
  // Packages that are still CommonJS call require for Node's own modules.
  banner: {
    js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
  },
} as const satisfies BuildOptions;
