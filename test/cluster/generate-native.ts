import { writeFile } from 'node:fs/promises';
import { nativeSchemasFile } from '../../lib/api/codegen/native-file.js';
import { startCluster } from './cluster.js';
import { readOpenApi } from './openapi.js';

// First half of `npm run generate`: native types, from the API server's own description of them.
const cluster = await startCluster({ apiServerOnly: true });
try {
  const target = new URL('../../lib/api/generated/native-schemas.ts', import.meta.url);
  await writeFile(target, await nativeSchemasFile(await readOpenApi(cluster.client)));
} finally {
  await cluster.stop();
}
