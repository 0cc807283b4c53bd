import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXAMPLE_CHART_OUTPUT, exampleChartOutput } from './example-chart.js';
import { GOLDEN, goldenCases, goldenOutput } from './golden.js';
import { GOLDEN_RUNS, goldenRunCases, goldenRunOutput } from './golden-runs.js';

/** Writes down what every golden case and the example chart render to now. The difference is for a person to read. */
for (const name of goldenCases()) writeFileSync(join(GOLDEN, name, 'expected.yaml'), goldenOutput(name));
for (const name of goldenRunCases()) writeFileSync(join(GOLDEN_RUNS, name, 'expected.yaml'), goldenRunOutput(name));
writeFileSync(EXAMPLE_CHART_OUTPUT, exampleChartOutput());
