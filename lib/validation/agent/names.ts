import type { HermesAgentSpec } from '../../api/generated/types.js';
import { dnsSubdomainTrouble, pathSegmentTrouble } from '../name-syntax.js';
import { each, syntax, type ValueCheck } from '../native/rules.js';
import { annotationMap, labelMap } from '../native/selectors.js';
import type { PathSegment } from '../problem.js';
import type { Reporter } from '../reporter.js';
import type { AgentCheck } from './agent-check.js';

const objectName = syntax(dnsSubdomainTrouble);
const roleRefs: ValueCheck<readonly { readonly roleRef: { readonly name: string } }[]> = each(
  ({ roleRef }, path, report) => {
    syntax(pathSegmentTrouble)(roleRef.name, [...path, 'roleRef', 'name'], report);
  },
);

/** Strings of our own fields that become names, labels or annotations of children. */
const FIELD_CHECKS: readonly (readonly [keyof HermesAgentSpec, readonly string[], ValueCheck])[] = [
  ['serviceAccountName', [], objectName],
  ['priorityClassName', [], objectName],
  ['runtimeClassName', [], objectName],
  ['storage', ['existingClaimName'], objectName],
  [
    'imagePullSecrets',
    [],
    each<{ readonly name: string }>(({ name }, path, report) => {
      objectName(name, [...path, 'name'], report);
    }),
  ],
  ['nodeSelector', [], labelMap],
  ['podLabels', [], labelMap],
  ['podAnnotations', [], annotationMap],
  ['dashboard', ['service', 'annotations'], annotationMap],
  ['dashboard', ['ingress', 'annotations'], annotationMap],
  ['dashboard', ['ingress', 'ingressClassName'], objectName],
  ['dashboard', ['ingress', 'tls', 'secretName'], objectName],
  ['rbac', ['roleBindings'], roleRefs],
  ['rbac', ['clusterRoleBindings'], roleRefs],
];

/** One check for each field that names something. */
export const nameChecks: readonly AgentCheck[] = FIELD_CHECKS.map(([field, below, check]) => ({
  reads: [field],
  check: ({ spec }, report) => {
    checkAt(spec, { path: [field, ...below], check }, report);
  },
}));

function checkAt(
  spec: HermesAgentSpec,
  { path, check }: { readonly path: readonly string[]; readonly check: ValueCheck },
  report: Reporter,
): void {
  const value = path.reduce<unknown>((parent, key) => (parent as Record<string, unknown> | undefined)?.[key], spec);
  const at: readonly PathSegment[] = ['spec', ...path];
  if (value !== undefined && value !== '') check(value as never, at, report);
}
