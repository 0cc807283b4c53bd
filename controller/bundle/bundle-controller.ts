import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { NODE_BUNDLE } from './node-bundle.js';

const root = new URL('../../', import.meta.url);

/**
 * Of the Kubernetes client only what reads a kubeconfig. It names what it takes from the generated part, a class for each
 * kind of Kubernetes; reading two thousand files to find them unused would take most of the time of packing. Another name
 * in a later version ends it with an error.
 */
const kubeconfigOnly: Plugin = {
  name: 'kubeconfig-only',
  setup(builder): void {
    builder.onResolve({ filter: /^@kubernetes\/client-node$/ }, async ({ path, resolveDir, kind, pluginData }) => {
      if (pluginData === kubeconfigOnly) return undefined;
      const whole = await builder.resolve(path, { resolveDir, kind, pluginData: kubeconfigOnly });
      return whole.errors.length > 0 ? whole : { path: join(dirname(whole.path), 'config.js') };
    });
    builder.onLoad({ filter: /client-node[\\/]dist[\\/]gen[\\/]index\.js$/ }, () => ({
      contents:
        "export { createConfiguration } from './configuration.js'; export { ServerConfiguration } from './servers.js';",
    }));
  },
};

function commit(): string {
  const given = process.env['HERMES_GITOPS_COMMIT'];
  if (given !== undefined && given !== '') return given;
  try {
    const options = {
      cwd: fileURLToPath(root),
      stdio: ['ignore', 'pipe', 'ignore'] as const,
      encoding: 'utf8' as const,
    };
    return execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { ...options, stdio: [...options.stdio] }).trim();
  } catch {
    return '';
  }
}

/**
 * Packs the controller into one file that Node runs without node_modules. It starts faster and takes half the memory:
 * of the Kubernetes client only what reads a kubeconfig is left.
 */
export async function bundleController(outfile: string): Promise<void> {
  const { version } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as { version: string };
  await build({
    ...NODE_BUNDLE,
    entryPoints: [fileURLToPath(new URL('controller/entry.ts', root))],
    outfile,
    // The names stay, so that the stack of a fault can be read.
    minifySyntax: true,
    minifyWhitespace: true,
    define: {
      HERMES_GITOPS_VERSION: JSON.stringify(version),
      HERMES_GITOPS_COMMIT: JSON.stringify(commit()),
    },
    plugins: [kubeconfigOnly],
  });
}
