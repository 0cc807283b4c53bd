import type { NetworkPolicyIngressRule, PodDNSConfig } from '../../api/generated/types.js';
import { dnsSubdomainTrouble } from '../name-syntax.js';
import { isAddress, parseCidr } from './cidr.js';
import { between, each, syntax, word, type NativeRules, type ValueCheck } from './rules.js';

type Peer = NonNullable<NetworkPolicyIngressRule['from']>[number];
type Port = NonNullable<NetworkPolicyIngressRule['ports']>[number];
type IpBlock = NonNullable<Peer['ipBlock']>;

const portNumber = between(1, 65535);
const PORT_NAME = /^(?=.*[a-z])[a-z0-9]+(-[a-z0-9]+)*$/;
const MAX_SEARCH_CHARACTERS = 2048;

const ip: ValueCheck<string> = (value, path, report) => {
  if (isAddress(value)) return;
  report.error(path, {
    rule: 'BadAddress',
    message: `${JSON.stringify(value)} is no IP address`,
    hint: 'write an IPv4 or IPv6 address',
  });
};

const somePeer: ValueCheck<Peer> = ({ podSelector, namespaceSelector, ipBlock }, path, report) => {
  const hasSelector = podSelector !== undefined || namespaceSelector !== undefined;
  if (ipBlock !== undefined && hasSelector) {
    const message = 'ipBlock and selectors exclude each other';
    report.error(path, { rule: 'Exclusive', message, hint: 'write two peers' });
  } else if (ipBlock === undefined && !hasSelector) {
    const hint = 'add podSelector, namespaceSelector or ipBlock';
    report.error(path, { rule: 'Required', message: 'names no peer', hint });
  }
};

const portAndEnd: ValueCheck<Port> = ({ port, endPort }, path, report) => {
  if (typeof port === 'number') portNumber(port, [...path, 'port'], report);
  if (typeof port === 'string' && (port.length > 15 || !PORT_NAME.test(port))) {
    const message = `${JSON.stringify(port)} is no name of a port`;
    const hint = /^\d+$/.test(port)
      ? `write ${port}, without quotes`
      : 'write a number, or at most 15 lower-case letters';
    report.error([...path, 'port'], { rule: 'BadName', message, hint });
  }
  if (endPort === undefined) return;
  if (typeof port !== 'number' || endPort < port) {
    const message = 'needs a port that is a number and not greater';
    report.error([...path, 'endPort'], { rule: 'OutOfBounds', message, hint: 'write the last port of the range' });
  }
};

const ipBlock: ValueCheck<IpBlock> = ({ cidr, except = [] }, path, report) => {
  const network = parseCidr(cidr);
  if ('trouble' in network) {
    report.error([...path, 'cidr'], { rule: 'BadAddress', message: network.trouble, hint: network.hint });
    return;
  }
  except.forEach((text, index) => {
    const inner = parseCidr(text);
    const at = [...path, 'except', index];
    if ('trouble' in inner) {
      report.error(at, { rule: 'BadAddress', message: inner.trouble, hint: inner.hint });
    } else if (!network.strictlyContains(inner)) {
      const message = `${text} does not lie inside ${cidr}`;
      report.error(at, { rule: 'BadAddress', message, hint: `write a smaller part of ${cidr}` });
    }
  });
};

const searchPath: ValueCheck<string> = (value, path, report) => {
  if (value === '.') return;
  syntax(dnsSubdomainTrouble)(value.replace(/\.$/, '').replaceAll('_', 'x'), path, report);
};

const searches: ValueCheck<readonly string[]> = (list, path, report) => {
  each(searchPath)(list, path, report);
  if (list.length <= 32 && list.join(' ').length <= MAX_SEARCH_CHARACTERS) return;
  const message = `has more than 32 entries or ${MAX_SEARCH_CHARACTERS} characters`;
  report.error(path, { rule: 'TooLong', message, hint: 'remove some' });
};

const nameservers: ValueCheck<readonly string[]> = (list, path, report) => {
  each(ip)(list, path, report);
  if (list.length > 3) report.error(path, { rule: 'TooLong', message: 'has more than 3 entries', hint: 'keep 3' });
};

const optionNames: ValueCheck<NonNullable<PodDNSConfig['options']>> = each(({ name = '' }, path, report) => {
  if (name === '') report.error([...path, 'name'], { rule: 'Required', message: 'is required', hint: 'add name' });
});

/** Network policies, hosts and DNS. */
export const NETWORK_RULES: Readonly<Record<string, NativeRules>> = {
  NetworkPolicyPeer: { whole: [somePeer] },
  NetworkPolicyPort: {
    fields: { protocol: word('TCP', 'UDP', 'SCTP'), endPort: portNumber },
    whole: [portAndEnd],
  },
  IPBlock: { needs: ['cidr'], whole: [ipBlock] },
  HostAlias: { needs: ['ip'], fields: { ip, hostnames: each(syntax(dnsSubdomainTrouble)) } },
  PodDNSConfig: { fields: { nameservers, searches, options: optionNames } },
};
