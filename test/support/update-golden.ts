import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GOLDEN, goldenCases, goldenOutput } from './golden.js';

/** Writes down what every golden case renders to now. The difference is for a person to read. */
for (const name of goldenCases()) writeFileSync(join(GOLDEN, name, 'expected.yaml'), goldenOutput(name));
