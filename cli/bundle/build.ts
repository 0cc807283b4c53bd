import { fileURLToPath } from 'node:url';
import { bundleCli } from './bundle-cli.js';

await bundleCli(fileURLToPath(new URL('../../build/cli', import.meta.url)));
