import { NATIVE_ROOTS, nativeSchemas, type OpenApiSchemas } from './native.js';
import { sourceFile } from './source-file.js';

/** Text of lib/api/generated/native-schemas.ts for what an API server describes. */
export async function nativeSchemasFile(openApi: OpenApiSchemas): Promise<string> {
  const schemas = JSON.stringify(nativeSchemas(openApi, NATIVE_ROOTS));
  return sourceFile(
    "import type { JsonSchema } from '../json-schema.js';\n\n" +
      '/** Native Kubernetes types by name, from the OpenAPI documents of the API server. */\n' +
      `export const NATIVE_SCHEMAS: Readonly<Record<string, JsonSchema>> = ${schemas};\n`,
  );
}
