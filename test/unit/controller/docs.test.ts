import { readFileSync } from 'node:fs';
import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { FLAGS } from '../../../controller/flags.js';
import { declareFamilies } from '../../../controller/metrics/families.js';

const page = readFileSync(new URL('../../../docs/controller.md', import.meta.url), 'utf8');

/** Rows of the first table below a heading, cells stripped of code marks. */
function tableBelow(heading: string): string[][] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [text = ''] = section.split('\n## ');
  const rows = text.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

/** What a metric object of prom-client carries beside its public type. */
interface Declared {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
}

describe('docs/controller.md', () => {
  it('lists every flag as it is', () => {
    const want = Object.entries(FLAGS).map(([name, flag]) => [`--${name}`, flag.default, flag.help]);
    expect(tableBelow('Flags')).toEqual(want);
  });

  it('lists every metric as it is', () => {
    const registry = new Registry();
    declareFamilies(registry);
    const want = (registry.getMetricsAsArray() as unknown as Declared[]).map((metric) => [
      metric.name,
      metric.constructor.name.toLowerCase(),
      metric.labelNames.join(', '),
      metric.help,
    ]);
    expect(want).toHaveLength(26);
    expect(tableBelow('Metrics')).toEqual(want);
  });
});
