import { fileURLToPath } from 'node:url';
import { bundleController } from './bundle-controller.js';

await bundleController(fileURLToPath(new URL('../../build/controller/bundle.mjs', import.meta.url)));
