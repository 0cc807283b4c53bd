import { execFileSync } from 'node:child_process';
import { beforeAll, expect, it } from 'vitest';
import { judgeRun } from '../../../controller/runs/run-status.js';
import type { RunPhase } from '../../../controller/runs/run-verdict.js';
import { computeAgentStatus, type AgentStatus } from '../../../controller/status/agent-status.js';
import { describeOnBed } from '../../cluster/bed.js';
import { COMPILE_TIMEOUT_MS, ensureBinaries, KSTATUS } from '../../cluster/binaries.js';
import { NOW } from '../../support/observed-agent.js';
import { RUN_FIXTURES } from '../../unit/controller/runs/outcome-fixtures.js';
import { FIXTURES } from '../../unit/controller/status/troubleshooting-fixtures.js';

interface Answer {
  readonly status: string;
  readonly message: string;
}

const BY_PHASE: Readonly<Record<AgentStatus['phase'], string>> = {
  Bootstrap: 'InProgress',
  Provisioning: 'InProgress',
  Ready: 'Current',
  Degraded: 'InProgress',
  Suspended: 'Current',
};

/** States that do not end by themselves: Flux gives up at once and says why. */
const FAILED = [
  'starting-too-long',
  'image-pull-back-off-long',
  'invalid-image-name',
  'image-never-pull',
  'crash-loop-long',
  'invalid-spec',
  'binding-drifted-long',
  'cluster-role-not-allowed',
  'namespace-not-allowed',
];

const BY_RUN_PHASE: Readonly<Record<RunPhase, string>> = {
  Pending: 'InProgress',
  Running: 'InProgress',
  Succeeded: 'Current',
  Failed: 'Failed',
};

describeOnBed('what Flux takes an agent or a run for', () => {
  let program = '';

  beforeAll(async () => {
    program = (await ensureBinaries([KSTATUS]))['kstatus'] ?? '';
  }, COMPILE_TIMEOUT_MS);

  function kstatus(metadata: object, status: object | undefined, kind = 'HermesAgent'): Answer {
    const agent = {
      apiVersion: 'hermes-gitops.dev/v1alpha1',
      kind,
      metadata,
      ...(status && { status }),
    };
    const [answer] = JSON.parse(
      execFileSync(program, { input: JSON.stringify([agent]), encoding: 'utf8' }),
    ) as readonly [Answer];
    return answer;
  }

  it('knows the states that are meant to fail', () => {
    expect(FAILED.filter((id) => !(id in FIXTURES))).toEqual([]);
  });

  it.each(Object.entries(FIXTURES))('is what a person would say: %s', (id, observed) => {
    const { status } = computeAgentStatus(observed, NOW);
    const answer = kstatus(observed.agent.metadata, status);
    const ready = status.conditions.find(({ type }) => type === 'Ready');
    expect(answer).toEqual(
      FAILED.includes(id)
        ? { status: 'Failed', message: ready?.message }
        : { status: BY_PHASE[status.phase], message: ready?.status === 'True' ? 'Resource is Ready' : ready?.message },
    );
  });

  it.each(Object.entries(RUN_FIXTURES))('is what a person would say of a run: %s', (_id, observed) => {
    const { status } = judgeRun(observed, NOW);
    const succeeded = status.conditions.find(({ type }) => type === 'Succeeded');
    expect(kstatus(observed.run.metadata, status, 'AgentRun')).toEqual({
      status: BY_RUN_PHASE[status.phase],
      message: status.phase === 'Succeeded' ? 'Resource is Ready' : succeeded?.message,
    });
  });

  it('does not take a run that nobody has looked at for done', () => {
    const metadata = { name: 'sum-1', namespace: 'lab', generation: 1 };
    expect(kstatus(metadata, { observedGeneration: -1 }, 'AgentRun').status).toBe('InProgress');
  });

  const ready = computeAgentStatus(FIXTURES['secret-unreadable'] ?? fail(), NOW).status;
  it.each([
    ['new, before the controller has looked', { generation: 1 }, { observedGeneration: -1 }, 'InProgress'],
    ['changed, and not looked at since', { generation: 2 }, ready, 'InProgress'],
    ['Ready', { generation: 1 }, ready, 'Current'],
    ['being deleted', { generation: 1, deletionTimestamp: '2026-01-01T00:00:00Z' }, ready, 'Terminating'],
  ])('is right about an agent that is %s', (_what, metadata, status, want) => {
    expect(kstatus({ name: 'mina', namespace: 'lab', ...metadata }, status).status).toBe(want);
  });
});

function fail(): never {
  throw new Error('the state is not among the fixtures');
}
