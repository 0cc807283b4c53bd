import type { HermesAgentSpec } from './generated/types.js';

/** Namespace that the controller runs in when it is installed as it comes. */
export const DEFAULT_CONTROLLER_NAMESPACE = 'hermes-gitops-system';

/** Port of the dashboard, in the pod and on its Service; the controller asks there for the state of the gateways. */
export const DASHBOARD_PORT = 9119;

/** Label that the API server itself keeps on every namespace. */
const NAMESPACE_NAME = 'kubernetes.io/metadata.name';

type Policy = NonNullable<HermesAgentSpec['networkPolicy']>;
type Rule = NonNullable<Policy['ingress']>[number];
type Peer = NonNullable<Rule['from']>[number];
type Port = NonNullable<Rule['ports']>[number];

/** The directions that a policy restricts; those that the API server would fill in when it names none. */
export function policyTypesOf({ policyTypes, egress = [] }: Policy): readonly ('Ingress' | 'Egress')[] {
  if (policyTypes !== undefined && policyTypes.length > 0) return policyTypes;
  return egress.length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
}

/** Whether a policy keeps the dashboard from some sources at all. */
export function restrictsDashboard(spec: Pick<HermesAgentSpec, 'networkPolicy' | 'dashboard'>): boolean {
  const { networkPolicy, dashboard } = spec;
  if (networkPolicy?.enabled !== true || dashboard?.enabled !== true) return false;
  return policyTypesOf(networkPolicy).includes('Ingress');
}

/** Whether some rule opens the dashboard's port, to whomever. */
export function opensDashboard({ ingress = [] }: Policy): boolean {
  return ingress.some(({ ports = [] }) => ports.length === 0 || ports.some(coversDashboard));
}

/** Whether some rule certainly lets every pod of `namespace` reach the dashboard. */
export function admitsController({ ingress = [] }: Policy, namespace: string): boolean {
  return ingress.some((rule) => {
    const { from = [], ports = [] } = rule;
    const isForAll = from.length === 0 || from.some((peer) => selectsNamespace(peer, namespace));
    return isForAll && (ports.length === 0 || ports.some(coversDashboard));
  });
}

/** The ingress rule that lets the controller ask. */
export function controllerRule(namespace: string): Rule {
  return {
    from: [{ namespaceSelector: { matchLabels: { [NAMESPACE_NAME]: namespace } } }],
    ports: [{ port: DASHBOARD_PORT, protocol: 'TCP' }],
  };
}

function coversDashboard({ port, endPort, protocol = 'TCP' }: Port): boolean {
  if (protocol !== 'TCP') return false;
  if (port === undefined || port === 'dashboard') return true;
  return typeof port === 'number' && port <= DASHBOARD_PORT && DASHBOARD_PORT <= (endPort ?? port);
}

/** Selectors that this cannot be sure of do not count: a rule too many allows only what was to be allowed anyway. */
function selectsNamespace({ namespaceSelector, podSelector }: Peer, namespace: string): boolean {
  if (namespaceSelector === undefined || !isEmptySelector(podSelector ?? {})) return false;
  const { matchLabels = {}, matchExpressions = [] } = namespaceSelector;
  return (
    matchExpressions.length === 0 &&
    Object.entries(matchLabels).every(([key, value]) => key === NAMESPACE_NAME && value === namespace)
  );
}

function isEmptySelector({ matchLabels = {}, matchExpressions = [] }: NonNullable<Peer['podSelector']>): boolean {
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}
