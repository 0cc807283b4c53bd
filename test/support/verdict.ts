import { formatPath, type Problem } from '../../lib/validation/problem.js';
import { validateAgent, type ValidationOptions } from '../../lib/validation/validate-agent.js';

/** One agent spec and the verdict on it. */
export interface VerdictRow {
  readonly what: string;
  readonly spec: object;
  readonly want: readonly string[];
}

/** What a platform allows in these tests. */
export const ALLOWED: ValidationOptions = {
  allowedClusterRoles: ['view', 'metrics'],
  allowedBindingNamespaces: ['shared'],
};

/** Every problem of an agent that is valid but for `spec`. */
export function problemsOf(spec: object, settings: ValidationOptions = ALLOWED): readonly Problem[] {
  const value = {
    apiVersion: 'hermes-gitops.dev/v1alpha1',
    kind: 'HermesAgent',
    metadata: { name: 'mina', namespace: 'lab' },
    spec: { image: 'registry.example.net/hermes:v1', storage: { existingClaimName: 'old' }, ...spec },
  };
  return validateAgent(value, settings).problems;
}

/** Rule and path below `spec` of {@link problemsOf}; warnings with a `!` before. */
export function verdict(spec: object, settings: ValidationOptions = ALLOWED): string[] {
  return problemsOf(spec, settings).map(
    ({ severity, rule, path }) => `${severity === 'error' ? '' : '! '}${rule} ${formatPath(path).replace('spec.', '')}`,
  );
}
