import type { HermesAgentSpec } from '../../api/generated/types.js';
import { checkAnnotationSize } from '../metadata.js';
import { dnsSubdomainTrouble, pathSegmentTrouble, qualifiedNameTrouble } from '../name-syntax.js';
import { each, keys, syntax, type ValueCheck } from '../native/rules.js';
import { labelMap } from '../native/selectors.js';
import type { PathSegment } from '../problem.js';
import type { Reporter } from '../reporter.js';
import type { AgentCheck } from './agent-check.js';

const objectName = syntax(dnsSubdomainTrouble);
const annotationKeys = keys(syntax((key) => qualifiedNameTrouble(key.toLowerCase())));

const annotations: ValueCheck<Readonly<Record<string, string>>> = (map, path, report) => {
  annotationKeys(map, path, report);
  checkAnnotationSize(map, path as readonly string[], report);
};

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
  ['podAnnotations', [], annotations],
  ['dashboard', ['service', 'annotations'], annotations],
  ['dashboard', ['ingress', 'annotations'], annotations],
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
