import { describe, expect, it } from 'vitest';
import { computeAgentStatus } from '../../../../controller/status/agent-status.js';
import { NOW } from '../../../support/observed-agent.js';
import { troubleshootingTable } from '../../../support/troubleshooting-table.js';
import { FIXTURES } from './troubleshooting-fixtures.js';

const TABLE = troubleshootingTable();

describe('the troubleshooting guide', () => {
  it('has a state of the cluster for each of its rows, and a row for each state', () => {
    expect(TABLE.map(({ id }) => id)).toEqual(Object.keys(FIXTURES));
    expect(new Set(TABLE.map(({ id }) => id)).size).toBe(TABLE.length);
    expect(TABLE.length).toBeGreaterThanOrEqual(30);
  });

  it.each(TABLE)('says of $id what the controller says: $phase, $reason', (row) => {
    const observed = FIXTURES[row.id];
    if (observed === undefined) throw new Error(`no fixture for ${row.id}`);
    const { status } = computeAgentStatus(observed, NOW);
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
