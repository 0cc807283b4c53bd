import { type GateRefusal, gateRefusals } from '../../api/binding-gates.js';
import type { HermesAgentSpec } from '../../api/generated/types.js';
import type { PathSegment } from '../problem.js';
import type { Reporter } from '../reporter.js';
import type { AgentCheck } from './agent-check.js';

type RoleBinding = NonNullable<NonNullable<HermesAgentSpec['rbac']>['roleBindings']>[number];

const clusterWide: AgentCheck = {
  reads: ['rbac'],
  check: ({ spec, metadata, settings }, report) => {
    const bindings = spec.rbac?.clusterRoleBindings ?? [];
    const at = ['spec', 'rbac', 'clusterRoleBindings'];
    bindings.forEach(({ roleRef }, index) => {
      const refusals = gateRefusals({ namespace: undefined, roleRef }, metadata?.namespace, settings);
      reportRefusals(refusals, [...at, index], report);
    });
    reportDuplicates(
      bindings.map(({ roleRef }) => roleRef.name),
      at,
      report,
    );
  },
};

const namespaced: AgentCheck = {
  reads: ['rbac'],
  check: ({ spec, metadata, settings }, report) => {
    const bindings = spec.rbac?.roleBindings ?? [];
    const at = ['spec', 'rbac', 'roleBindings'];
    bindings.forEach((binding, index) => {
      reportRefusals(gateRefusals(binding, metadata?.namespace, settings), [...at, index], report);
    });
    reportDuplicates(bindings.map(identity), at, report);
  },
};

function reportRefusals(refusals: readonly GateRefusal[], at: readonly PathSegment[], report: Reporter): void {
  for (const { path, ...problem } of refusals) report.error([...at, ...path], problem);
}

function identity({ namespace, roleRef }: RoleBinding): string {
  return [namespace, roleRef.kind, roleRef.name].join('/');
}

function reportDuplicates(identities: readonly string[], path: readonly PathSegment[], report: Reporter): void {
  identities.forEach((id, index) => {
    const first = identities.indexOf(id);
    if (first === index) return;
    const message = `is the same binding as item ${first}`;
    report.error([...path, index], { rule: 'DuplicateBinding', message, hint: 'remove one of the two' });
  });
}

/** Which roles an agent may be given, and where. */
export const bindingChecks: readonly AgentCheck[] = [clusterWide, namespaced];
