import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { nativeSchemasFile } from '../../../lib/api/codegen/native-file.js';
import { describeOnBed, sharedBed } from '../../cluster/bed.js';
import { readOpenApi } from '../../cluster/openapi.js';

describeOnBed('lib/api/generated', () => {
  it('holds the native types as this API server describes them', async () => {
    const committed = await readFile(new URL('../../../lib/api/generated/native-schemas.ts', import.meta.url), 'utf8');
    expect(await nativeSchemasFile(await readOpenApi(sharedBed().client))).toBe(committed);
  });
});
