import { beforeAll, expect, it } from 'vitest';
import { describeOnBed, sharedBed } from '../../cluster/bed.js';
import { installCrds } from '../../cluster/install-crds.js';
import { describeComparison, type Outcome } from '../../support/differential.js';
import { compareRun, variants } from '../../support/differential-runs.js';
import { resolvedAgent } from '../../support/resolved-agent.js';
import { DryRun } from '../../support/verdict-of-server.js';

const AGENT = resolvedAgent({
  env: [{ name: 'LOG_LEVEL', value: 'info' }],
  resources: { requests: { cpu: '1' } },
  tolerations: [{ key: 'gpu', operator: 'Exists' }],
});

const run = (name: string, spec: object): Readonly<Record<string, unknown>> => ({
  apiVersion: 'hermes-gitops.dev/v1alpha1',
  kind: 'AgentRun',
  metadata: { name, namespace: 'lab', labels: { team: 'x' }, annotations: { note: 'z' } },
  spec,
});

/** Every field of a run, once with an agent and once without. */
const BASES = [
  run('with-agent', {
    agentRef: { name: 'mia' },
    instructions: 'Sum it up.',
    env: [
      { name: 'A', value: '1' },
      { name: 'B', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
    ],
    envFrom: [{ prefix: 'P_', configMapRef: { name: 'c', optional: true } }],
    resources: { requests: { cpu: '500m' }, limits: { cpu: '1', memory: '1Gi' } },
    startupDeadlineSeconds: 300,
    ttlSecondsAfterFinished: 60,
  }),
  run('with-image', {
    image: 'registry.example.net/hermes:v1',
    command: ['/bin/hermes'],
    args: ['doctor'],
    workload: 'Job',
    activeDeadlineSeconds: 600,
    volumes: [
      { name: 'data', emptyDir: { sizeLimit: '1Gi' } },
      { name: 'cache', persistentVolumeClaim: { claimName: 'cache' } },
    ],
    volumeMounts: [{ name: 'cache', mountPath: '/cache', readOnly: true }],
  }),
];

function specVariants(base: Readonly<Record<string, unknown>>): readonly (readonly [string, unknown])[] {
  return [...variants(base['spec'])].map(([name, spec]) => [
    `${name} in ${JSON.stringify(base['metadata'])}`,
    { ...base, spec },
  ]);
}

const NAMES = ['a', 'a'.repeat(52), 'a'.repeat(53), 'A', 'a.b', '-a', 'a-', '7up', 'run-a', 'x-dashboard'];

describeOnBed('what rendering accepts of a run is what the API server accepts', () => {
  const { client } = sharedBed();
  const dryRun = new DryRun(client);

  beforeAll(async () => {
    await installCrds(client);
    await client.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'lab' } });
  });

  it('takes the runs that variants are made of', async () => {
    for (const base of BASES) {
      const comparison = await compareRun(base, dryRun, AGENT);
      expect(comparison.outcome, describeComparison(comparison)).toBe('accepted by both');
    }
  });

  it('finds no variant on which the two disagree', { timeout: 300_000 }, async () => {
    const names = NAMES.map((name) => [`name ${name}`, run(name, { image: 'a/b:v1', instructions: 'x' })] as const);
    const all = [...names, ...BASES.flatMap(specVariants)];
    const outcomes: Record<Outcome, number> = {
      'accepted by both': 0,
      'refused by both': 0,
      stricter: 0,
      disagreement: 0,
    };
    const disagreements: string[] = [];
    await Promise.all(
      all.map(async ([name, variant]) => {
        const comparison = await compareRun(variant, dryRun, AGENT);
        outcomes[comparison.outcome] += 1;
        if (comparison.outcome === 'disagreement') disagreements.push(`${name}: ${describeComparison(comparison)}`);
      }),
    );
    process.stdout.write(`\nruns: ${JSON.stringify(outcomes)}\n`);
    expect(disagreements.join('\n\n')).toBe('');
    expect(outcomes['accepted by both']).toBeGreaterThan(50);
    expect(outcomes['refused by both']).toBeGreaterThan(500);
  });
});
