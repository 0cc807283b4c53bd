import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXAMPLE_CHART_OUTPUT, exampleChartOutput } from './example-chart.js';
import { GOLDEN, goldenCases, goldenOutput } from './golden.js';

/** Writes down what every golden case and the example chart render to now. The difference is for a person to read. */
for (const name of goldenCases()) writeFileSync(join(GOLDEN, name, 'expected.yaml'), goldenOutput(name));
writeFileSync(EXAMPLE_CHART_OUTPUT, exampleChartOutput());
