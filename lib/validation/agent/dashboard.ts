import { isIP } from 'node:net';

import type { HermesAgentSpec } from '../../api/generated/types.js';
import { dnsSubdomainTrouble } from '../name-syntax.js';
import type { Reporter } from '../reporter.js';
import type { AgentCheck } from './agent-check.js';

type Ingress = NonNullable<NonNullable<HermesAgentSpec['dashboard']>['ingress']>;

const AT = ['spec', 'dashboard', 'ingress'];
const LEGACY_CLASS = 'kubernetes.io/ingress.class';
const AUTH_VARIABLE = /^HERMES_DASHBOARD_.*(AUTH|OAUTH|OIDC|PASSWORD|TOKEN)/;
const AUTH_ANNOTATION = /auth|oauth|oidc|whitelist|allowlist|middleware/i;

const credentials: AgentCheck = {
  reads: ['dashboard'],
  check: ({ spec }, report) => {
    const { enabled, env = [], envFrom = [] } = spec.dashboard ?? {};
    // What a Secret as a whole brings along cannot be seen from here.
    if (enabled !== true || envFrom.length > 0 || env.some(({ name }) => AUTH_VARIABLE.test(name))) return;
    const message = 'has no credentials, and current images refuse to serve without any';
    const hint = 'add HERMES_DASHBOARD_BASIC_AUTH_USERNAME and HERMES_DASHBOARD_BASIC_AUTH_PASSWORD to dashboard.env';
    report.warning(['spec', 'dashboard'], { rule: 'DashboardWithoutAuth', message, hint });
  },
};

const ingress: AgentCheck = {
  reads: ['dashboard'],
  check: ({ spec }, report) => {
    const { enabled, ingress: value } = spec.dashboard ?? {};
    if (value?.enabled !== true) return;
    if (enabled !== true) {
      const message = 'is enabled, and the dashboard behind it is not';
      report.error(AT, { rule: 'IngressWithoutDashboard', message, hint: 'write dashboard.enabled: true' });
    }
    checkHost(value, report);
    checkAnnotations(value, report);
  },
};

function checkHost({ host = '' }: Ingress, report: Reporter): void {
  if (host === '') return;
  const trouble = dnsSubdomainTrouble(host.startsWith('*.') ? host.slice(2) : host);
  const isAddress = isIP(host) > 0;
  if (trouble === undefined && !isAddress) return;
  const bare = host.replace(/^[a-z]+:\/\//i, '').replace(/[:/].*$/, '');
  const hint = bare !== host && dnsSubdomainTrouble(bare) === undefined ? `write ${bare}` : 'write a DNS name';
  const message = isAddress ? 'must not be an IP address' : `is no DNS name: ${trouble ?? ''}`;
  report.error([...AT, 'host'], { rule: 'BadHost', message, hint });
}

function checkAnnotations({ annotations = {}, ingressClassName = '' }: Ingress, report: Reporter): void {
  if (Object.hasOwn(annotations, LEGACY_CLASS) && ingressClassName !== '') {
    const isSame = annotations[LEGACY_CLASS] === ingressClassName;
    const rule = isSame ? 'Clash' : 'Exclusive';
    const message = isSame ? 'says what ingressClassName says' : 'contradicts ingressClassName';
    report.error([...AT, 'annotations', LEGACY_CLASS], { rule, message, hint: 'remove the annotation' });
  }
  if (Object.keys(annotations).some((key) => AUTH_ANNOTATION.test(key))) return;
  const message = 'no annotation asks for authentication before the dashboard';
  report.warning(AT, {
    rule: 'IngressWithoutAuth',
    message,
    hint: 'add the auth annotations of the ingress controller',
  });
}

/** The dashboard and the way to it. */
export const dashboardChecks: readonly AgentCheck[] = [credentials, ingress];
