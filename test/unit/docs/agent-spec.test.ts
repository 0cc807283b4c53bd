import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { agentSpecPage, fieldRows } from '../../../docs/generate/agent-spec.js';

const PAGE = join(import.meta.dirname, '..', '..', '..', 'docs', 'agent-spec.md');

describe('the reference of the spec', () => {
  it('is what the schema says now', async () => {
    expect(readFileSync(PAGE, 'utf8')).toBe(await agentSpecPage());
  });

  it('describes every field', () => {
    expect(fieldRows().filter(({ description }) => description === '')).toEqual([]);
  });

  it.each([
    {
      path: 'spec.image',
      type: 'string',
      default: '',
      description: 'Image of the agent.',
      rules: ['required', 'not empty', 'at most 1024 characters'],
    },
    {
      path: 'spec.terminationGracePeriodSeconds',
      type: 'integer',
      default: '210',
      description: 'Time for the agent to finish its turns: 180 s to drain and 30 s to tear down unless set.',
      rules: ['at least 31'],
    },
    {
      path: 'spec.gateways[].env',
      type: 'list of EnvVar',
      default: '',
      description: 'Variables of the gateway, its token among them.',
      rules: ['at most 512 items', 'no two items of one name'],
    },
  ])('has $path', (row) => {
    expect(fieldRows().filter(({ path }) => path === row.path)).toEqual([row]);
  });
});
