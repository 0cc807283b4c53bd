import { describe, expect, it } from 'vitest';
import type { AgentRunSpec } from '../../../../lib/api/generated/types.js';
import { formatPath } from '../../../../lib/validation/problem.js';
import { runSpecDigest, validateRun } from '../../../../lib/validation/validate-run.js';

const SPEC: AgentRunSpec = { agentRef: { name: 'mia' }, instructions: 'Sum it up.' };

function run(spec: unknown, name = 'sum-1'): Record<string, unknown> {
  return { apiVersion: 'hermes-gitops.dev/v1alpha1', kind: 'AgentRun', metadata: { name, namespace: 'lab' }, spec };
}

function said(value: unknown, options = {}): readonly string[] {
  return validateRun(value, options).problems.map(
    ({ severity, rule, path, message, hint }) => `${severity} ${rule} ${formatPath(path)}: ${message} (${hint})`,
  );
}

describe('validateRun', () => {
  it('completes a run and keeps what was written', () => {
    const { run: valid, problems } = validateRun(
      run({ ...SPEC, resources: { limits: { memory: '1024Mi' } }, env: [] }),
    );
    expect(problems).toEqual([]);
    expect(valid?.object.spec).toEqual({ ...SPEC, resources: { limits: { memory: '1Gi' } } });
    expect(valid?.spec).toEqual({ ...SPEC, resources: { limits: { memory: '1Gi' } }, workload: 'Job' });
    expect(valid?.digest).toBe(runSpecDigest({ ...SPEC, workload: 'Job', resources: { limits: { memory: '1Gi' } } }));
  });

  it.each([
    [
      'neither agent nor image',
      run({ instructions: 'x' }),
      'error Rule spec: exactly one of agentRef and image has to be set (write agentRef: {name: …} to run as one of the agents, or image: … to run alone)',
    ],
    [
      'agent and image',
      run({ ...SPEC, image: 'registry.example.net/hermes:v1' }),
      'error Rule spec: exactly one of agentRef and image has to be set (write agentRef: {name: …} to run as one of the agents, or image: … to run alone)',
    ],
    [
      'nothing to do',
      run({ agentRef: { name: 'mia' } }),
      'error Required spec: one of instructions, args and command has to be set (add instructions: …)',
    ],
    [
      'an unknown field',
      run({ ...SPEC, instruction: 'x' }),
      'error UnknownField spec.instruction: instruction is no known field (did you mean instructions?)',
    ],
    [
      'an unknown workload',
      run({ ...SPEC, workload: 'job' }),
      'error NotAllowedValue spec.workload: "job" is not one of Job, Sandbox (did you mean Job?)',
    ],
    [
      'an image that only the kubelet would refuse',
      run({ image: 'Reg/H:v1', instructions: 'x' }),
      'error ImageSyntax spec.image: the repository has upper-case letters (write reg/h:v1)',
    ],
    [
      'a variable that is no string',
      run({ ...SPEC, env: [{ name: 'PORT', value: 8080 }] }),
      'error QuotedValue spec.env[0].value: 8080 is a number, and a string is needed (write "8080")',
    ],
    [
      'a deadline below zero',
      run({ ...SPEC, startupDeadlineSeconds: -1 }),
      'error OutOfBounds spec.startupDeadlineSeconds: has to be at least 0 (write 0 or more)',
    ],
    [
      'no time to run',
      run({ ...SPEC, activeDeadlineSeconds: 0 }),
      'error OutOfBounds spec.activeDeadlineSeconds: has to be at least 1 (write 1 or more)',
    ],
    [
      'a name with room for no Job',
      run(SPEC, 'a'.repeat(53)),
      `error Rule metadata.name: the name has to be at most 52 characters, because the Job hermes-run-<name> is limited to 63 (shorten it: hermes-run-${'a'.repeat(53)} has 64 characters, and 63 is the limit)`,
    ],
    [
      'a name with a dot',
      run(SPEC, 'sum.1'),
      "error Rule metadata.name: the name has to be a DNS label: lower-case letters, digits and '-', with a letter or digit at both ends (write sum-1)",
    ],
    [
      "a volume in the place of the run's own",
      run({ ...SPEC, volumes: [{ name: 'dshm', emptyDir: {} }] }),
      'error Clash spec.volumes[0].name: dshm is a volume of the run itself (use another name)',
    ],
    [
      'a mount in the place of the home',
      run({ ...SPEC, volumes: [{ name: 'x', emptyDir: {} }], volumeMounts: [{ name: 'x', mountPath: '/opt/data/' }] }),
      'error Clash spec.volumeMounts[0].mountPath: /opt/data is where the run has a volume of its own (call a volume data: it takes that place)',
    ],
    [
      'a mount of no volume',
      run({ ...SPEC, volumeMounts: [{ name: 'work', mountPath: '/work' }] }),
      'error UnknownVolume spec.volumeMounts[0].name: no volume is called work (add it to spec.volumes, or mount one of data, dshm)',
    ],
    [
      'instructions that no process takes',
      run({ ...SPEC, instructions: 'é'.repeat(65536) }),
      'error Unusable spec.instructions: is 131072 bytes long, and one argument of a process may have 131071 (put the text into a volume and say where it is)',
    ],
    [
      'another group',
      { ...run(SPEC), apiVersion: 'hermes.k8s.undermountain.cc/v1alpha1' },
      'error UnknownVersion apiVersion: is not the group of runs (write hermes-gitops.dev/v1alpha1)',
    ],
    [
      'instructions that args put aside',
      run({ ...SPEC, args: ['doctor'] }),
      'warning UnusedInstructions spec.instructions: is not used, because args are set (remove one of the two)',
    ],
    [
      'instructions that look like an option',
      run({ ...SPEC, instructions: '- first' }),
      'warning LeadingDash spec.instructions: begins with -, which the command line of the agent may take for an option (begin with a word)',
    ],
    [
      'a variable that rendering sets',
      run({ ...SPEC, env: [{ name: 'HERMES_PROFILE', value: 'x' }] }),
      'warning OverriddenVariable spec.env[0].name: HERMES_PROFILE is set by rendering, whose value wins (remove it)',
    ],
    [
      'what Flux replaces',
      run({ ...SPEC, instructions: 'say ${X}' }),
      'warning FluxSubstitution spec.instructions: contains ${, which Flux replaces when it substitutes variables (render with --flux when Flux applies the output)',
    ],
  ])('speaks of %s', (_what, value, want) => {
    expect(said(value)).toEqual([want]);
  });

  it('accepts the longest name, and a variable of the agent that a run may choose for itself', () => {
    expect(said(run({ ...SPEC, env: [{ name: 'HERMES_INFERENCE_PROVIDER', value: 'x' }] }, 'a'.repeat(52)))).toEqual(
      [],
    );
  });
});
