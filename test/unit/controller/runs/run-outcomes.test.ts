import { describe, expect, it } from 'vitest';
import { judge } from '../../../support/judged-run.js';
import { troubleshootingTable } from '../../../support/troubleshooting-table.js';
import { RUN_FIXTURES } from './outcome-fixtures.js';

const TABLE = troubleshootingTable('run-outcomes');

describe('the page on what a run says', () => {
  it('has a state of the cluster for each of its rows, and a row for each state', () => {
    expect(TABLE.map(({ id }) => id)).toEqual(Object.keys(RUN_FIXTURES));
    expect(TABLE.length).toBeGreaterThanOrEqual(30);
  });

  it.each(TABLE)('says of $id what the controller says: $phase, $reason', (row) => {
    const observed = RUN_FIXTURES[row.id];
    if (observed === undefined) throw new Error(`no fixture for ${row.id}`);
    const { status } = judge(observed);
    const condition = status.conditions.find(({ type }) => type === row.type);
    expect({
      phase: status.phase,
      status: condition?.status,
      reason: condition?.reason,
      message: condition?.message,
    }).toEqual({ phase: row.phase, status: row.status, reason: row.reason, message: row.message });
    expect(row.advice).not.toBe('');
  });
});
