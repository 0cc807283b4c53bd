import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { typesFile } from '../../../../lib/api/codegen/types.js';

describe('lib/api/generated/types.ts', () => {
  it('is what the schemas say; run `npm run generate` after changing them', async () => {
    const committed = await readFile(new URL('../../../../lib/api/generated/types.ts', import.meta.url), 'utf8');
    expect(await typesFile()).toBe(committed);
  });
});
