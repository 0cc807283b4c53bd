import { writeFile } from 'node:fs/promises';
import { typesFile } from '../../lib/api/codegen/types.js';

// Second half of `npm run generate`, a process of its own: it imports what the first half has written.
await writeFile(new URL('../../lib/api/generated/types.ts', import.meta.url), await typesFile());
