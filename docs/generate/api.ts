import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Application, TSConfigReader } from 'typedoc';
import type { PluginOptions } from 'typedoc-plugin-markdown';
import { page } from './markdown.js';

const FILE = 'api.md';

/** One page, in tables; types of Kubernetes, which carry no docs, are only named. */
const MARKDOWN: Partial<PluginOptions> = {
  entryFileName: FILE,
  hidePageHeader: true,
  hideBreadcrumbs: true,
  hidePageTitle: true,
  useCodeBlocks: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
};

/** The page on what the package exports, from the docs in its source. `root` is the folder of the package. */
export async function apiPage(root: string): Promise<string> {
  const out = mkdtempSync(join(tmpdir(), 'hermes-api-docs-'));
  try {
    const app = await Application.bootstrapWithPlugins(
      {
        entryPoints: [join(root, 'lib', 'index.ts')],
        tsconfig: join(root, 'tsconfig.json'),
        plugin: ['typedoc-plugin-markdown'],
        out,
        router: 'module',
        readme: 'none',
        logLevel: 'Error',
        disableSources: true,
        excludeExternals: true,
        excludePrivate: true,
        excludeProtected: true,
        excludeNotDocumented: true,
        excludeNotDocumentedKinds: ['Interface', 'TypeAlias'],
        // The compiler has its own place in the checks.
        skipErrorChecking: true,
        ...MARKDOWN,
      },
      [new TSConfigReader()],
    );
    const project = await app.convert();
    if (project === undefined) throw new Error('the docs of lib/index.ts cannot be read');
    await app.generateOutputs(project);
    return await page(
      `# API\n\nWhat \`import … from 'hermes-gitops'\` offers.\n\n${readFileSync(join(out, FILE), 'utf8')}`,
    );
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}
