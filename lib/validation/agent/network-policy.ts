import type { HermesAgentSpec } from '../../api/generated/types.js';
import { DASHBOARD_PORT, opensDashboard, restrictsDashboard } from '../../api/probe-access.js';
import type { Reporter } from '../reporter.js';
import type { AgentCheck } from './agent-check.js';

type Policy = NonNullable<HermesAgentSpec['networkPolicy']>;

const AT = ['spec', 'networkPolicy'];

/** A policy that is on has to say what it restricts; what it does beside that is a warning. */
export const networkPolicyCheck: AgentCheck = {
  reads: ['networkPolicy', 'dashboard'],
  check: ({ spec, settings }, report) => {
    const policy = spec.networkPolicy;
    if (policy?.enabled !== true) return;
    if (isAmbiguous(policy, report)) return;
    const isRestricted = restrictsDashboard(spec);
    // Without a namespace rendering adds no rule.
    const isLeftOut = settings.controllerNamespace === '';
    warnOfSurprises(policy, isRestricted && !isLeftOut, report);
    if (isLeftOut && isRestricted && !opensDashboard(policy)) warnOfBlockedProbe(report);
  },
};

function isAmbiguous(policy: Policy, report: Reporter): boolean {
  const { ingress, egress, policyTypes } = policy;
  const complain = (path: readonly string[], message: string, hint: string): true => {
    report.error(path, { rule: 'AmbiguousNetworkPolicy', message, hint });
    return true;
  };
  if (policyTypes?.length === 0) {
    return complain([...AT, 'policyTypes'], 'is empty, which counts as absent', 'name Ingress, Egress or both');
  }
  if (policyTypes !== undefined) return contradictsTypes(policy, report);
  if (ingress === undefined && egress === undefined) {
    const hint = 'add ingress or egress rules, or policyTypes: [Ingress] to deny all ingress';
    return complain(AT, 'is enabled and says nothing', hint);
  }
  if (egress?.length === 0) {
    const message = 'is empty, which restricts nothing without policyTypes';
    return complain([...AT, 'egress'], message, 'write policyTypes: [Egress] to deny all egress, or remove egress');
  }
  if (ingress?.length === 0 && egress === undefined) {
    const message = 'is empty, which denies all ingress, and policyTypes is absent';
    return complain([...AT, 'ingress'], message, 'write policyTypes: [Ingress] to deny all ingress');
  }
  return false;
}

/** Rules for a direction that policyTypes leaves out have no effect at all. */
function contradictsTypes({ ingress = [], egress = [], policyTypes = [] }: Policy, report: Reporter): boolean {
  const unused = [
    { field: 'ingress', type: 'Ingress' as const, rules: ingress.length },
    { field: 'egress', type: 'Egress' as const, rules: egress.length },
  ].filter(({ type, rules }) => rules > 0 && !policyTypes.includes(type));
  for (const { field, type } of unused) {
    const message = `has rules, and policyTypes leaves ${type} out`;
    report.error([...AT, field], { rule: 'AmbiguousNetworkPolicy', message, hint: `add ${type} to policyTypes` });
  }
  return unused.length > 0;
}

function warnOfSurprises(
  { ingress, egress, policyTypes = [] }: Policy,
  admitsController: boolean,
  report: Reporter,
): void {
  const warn = (path: readonly (string | number)[], message: string, hint: string): void => {
    report.warning(path, { rule: 'NetworkPolicySurprise', message, hint });
  };
  if (policyTypes.length === 0 && (ingress ?? []).length === 0) {
    warn(
      [...AT, 'egress'],
      `without policyTypes all ingress${admitsController ? " but the controller's to the dashboard" : ''} is denied too`,
      'write policyTypes: [Egress] to restrict egress alone',
    );
  }
  (ingress ?? []).forEach((rule, index) => {
    if (rule.from?.length === 0)
      warn([...AT, 'ingress', index, 'from'], 'is empty, which allows every source', 'remove from, or name sources');
  });
  (egress ?? []).forEach((rule, index) => {
    if (rule.to?.length === 0)
      warn(
        [...AT, 'egress', index, 'to'],
        'is empty, which allows every destination',
        'remove to, or name destinations',
      );
  });
}

function warnOfBlockedProbe(report: Reporter): void {
  const message = `no rule opens port ${DASHBOARD_PORT}, so the controller cannot ask the dashboard and GatewaysReady stays Unknown`;
  const hint = `name the namespace of the controller, or add an ingress rule for port ${DASHBOARD_PORT} from it`;
  report.warning([...AT, 'ingress'], { rule: 'ProbeBlocked', message, hint });
}
