import type { OpenApiSchemas } from '../../lib/api/codegen/native.js';
import type { KubeClient } from './client.js';

/** Documents that together describe every native type which our schemas embed. */
const DOCUMENTS = ['/openapi/v3/apis/apps/v1', '/openapi/v3/apis/networking.k8s.io/v1'];

/** The schemas of those documents, as the running API server serves them. */
export async function readOpenApi(client: KubeClient): Promise<OpenApiSchemas> {
  const documents = await Promise.all(DOCUMENTS.map((path) => client.get(path)));
  return Object.assign(
    {},
    ...documents.map((document) => (document['components'] as { schemas: OpenApiSchemas }).schemas),
  ) as OpenApiSchemas;
}
