import { describe, expect, it } from 'vitest';

import { verdict, type VerdictRow } from '../../../../support/verdict.js';

const volume = (source: object): object => ({ volumes: [{ name: 'v', ...source }] });
const mount = (fields: object): object => ({ volumeMounts: [{ name: 'data', mountPath: '/a', ...fields }] });
const policy = (fields: object): object => ({ networkPolicy: { enabled: true, ...fields } });
const peer = (fields: object): object => policy({ ingress: [{ from: [fields] }] });
const port = (fields: object): object => policy({ ingress: [{ ports: [fields] }] });

const native: readonly VerdictRow[] = [
  {
    what: 'a user below 0',
    spec: { securityContext: { runAsUser: -1 } },
    want: ['OutOfBounds securityContext.runAsUser'],
  },
  {
    what: 'a group above all',
    spec: { podSecurityContext: { fsGroup: 2 ** 31 } },
    want: ['OutOfBounds podSecurityContext.fsGroup'],
  },
  {
    what: 'a profile without its file',
    spec: { podSecurityContext: { seccompProfile: { type: 'Localhost' } } },
    want: ['Required podSecurityContext.seccompProfile.localhostProfile'],
  },
  {
    what: 'a file without its profile',
    spec: { securityContext: { appArmorProfile: { type: 'Unconfined', localhostProfile: 'x' } } },
    want: ['Exclusive securityContext.appArmorProfile.localhostProfile'],
  },
  {
    what: 'privileged without escalation',
    spec: { securityContext: { privileged: true, allowPrivilegeEscalation: false } },
    want: ['Exclusive securityContext'],
  },
  {
    what: 'an unmasked proc',
    spec: { securityContext: { procMount: 'Unmasked' } },
    want: ['NotAllowedValue securityContext.procMount'],
  },
  {
    what: 'a sysctl that is none',
    spec: { podSecurityContext: { sysctls: [{ name: 'a b', value: '1' }] } },
    want: ['BadName podSecurityContext.sysctls[0].name'],
  },

  {
    what: 'a volume of two kinds',
    spec: volume({ emptyDir: {}, secret: { secretName: 'x' } }),
    want: ['Exclusive volumes[0]'],
  },
  { what: 'a volume of no kind', spec: volume({}), want: [] },
  {
    what: 'a volume name with a dot',
    spec: { volumes: [{ name: 'a.b', emptyDir: {} }] },
    want: ['BadName volumes[0].name'],
  },
  {
    what: 'a secret volume without a Secret',
    spec: volume({ secret: {} }),
    want: ['Required volumes[0].secret.secretName'],
  },
  {
    what: 'a mode that is none',
    spec: volume({ configMap: { name: 'x', defaultMode: 0o1000 } }),
    want: ['OutOfBounds volumes[0].configMap.defaultMode'],
  },
  {
    what: 'a path out of the volume',
    spec: volume({ secret: { secretName: 'x', items: [{ key: 'k', path: '../k' }] } }),
    want: ['BadPath volumes[0].secret.items[0].path'],
  },
  {
    what: 'a claim without a name',
    spec: volume({ persistentVolumeClaim: { claimName: '' } }),
    want: ['Required volumes[0].persistentVolumeClaim.claimName'],
  },
  {
    what: 'an unknown type of host path',
    spec: volume({ hostPath: { path: '/x', type: 'Dir' } }),
    want: ['NotAllowedValue volumes[0].hostPath.type'],
  },
  {
    what: 'a token that lives for a minute',
    spec: volume({ projected: { sources: [{ serviceAccountToken: { path: 't', expirationSeconds: 60 } }] } }),
    want: ['OutOfBounds volumes[0].projected.sources[0].serviceAccountToken.expirationSeconds'],
  },
  {
    what: 'a projection of two kinds',
    spec: volume({ projected: { sources: [{ secret: { name: 'a' }, configMap: { name: 'b' } }] } }),
    want: ['Exclusive volumes[0].projected.sources[0]'],
  },
  {
    what: 'a downward file of nothing',
    spec: volume({ downwardAPI: { items: [{ path: 'x' }] } }),
    want: ['Required volumes[0].downwardAPI.items[0]'],
  },
  {
    what: 'a downward resource of no container',
    spec: volume({ downwardAPI: { items: [{ path: 'x', resourceFieldRef: { resource: 'limits.cpu' } }] } }),
    want: ['Required volumes[0].downwardAPI.items[0].resourceFieldRef.containerName'],
  },
  {
    what: 'an ephemeral claim without a size',
    spec: volume({ ephemeral: { volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'] } } } }),
    want: ['Required volumes[0].ephemeral.volumeClaimTemplate.spec'],
  },
  {
    what: 'a medium that is none',
    spec: volume({ emptyDir: { medium: 'Disk' } }),
    want: ['Unusable volumes[0].emptyDir.medium'],
  },
  {
    what: 'a relative path of NFS',
    spec: volume({ nfs: { server: 's', path: 'x' } }),
    want: ['BadPath volumes[0].nfs.path'],
  },
  { what: 'an absolute subPath', spec: mount({ subPath: '/x' }), want: ['BadPath volumeMounts[0].subPath'] },
  {
    what: 'two ways to a sub path',
    spec: mount({ subPath: 'x', subPathExpr: 'y' }),
    want: ['Exclusive volumeMounts[0]'],
  },
  {
    what: 'recursive read-only that may write',
    spec: mount({ recursiveReadOnly: 'Enabled' }),
    want: ['BadMount volumeMounts[0].recursiveReadOnly'],
  },
  {
    what: 'propagation out of a plain container',
    spec: mount({ mountPropagation: 'Bidirectional' }),
    want: ['BadMount volumeMounts[0].mountPropagation'],
  },
  {
    what: 'propagation out of a privileged one',
    spec: { ...mount({ mountPropagation: 'Bidirectional' }), securityContext: { privileged: true } },
    want: [],
  },

  { what: 'a host of an address', spec: { hostAliases: [{ ip: '10.0.0.1', hostnames: ['a.b'] }] }, want: [] },
  {
    what: 'a host of no address',
    spec: { hostAliases: [{ ip: '10.0.0', hostnames: ['A'] }] },
    want: ['BadAddress hostAliases[0].ip', 'BadName hostAliases[0].hostnames[0]'],
  },
  {
    what: 'four name servers',
    spec: { dnsConfig: { nameservers: ['1.1.1.1', '::1', '8.8.8.8', '9.9.9.9'] } },
    want: ['TooLong dnsConfig.nameservers'],
  },
  {
    what: 'search paths',
    spec: { dnsConfig: { searches: ['.', '_tcp.a.', 'A.b'] } },
    want: ['BadName dnsConfig.searches[2]'],
  },
  {
    what: 'a DNS option without a name',
    spec: { dnsConfig: { options: [{ value: 'x' }] } },
    want: ['Required dnsConfig.options[0].name'],
  },
  { what: 'a peer of two selectors', spec: peer({ podSelector: {}, namespaceSelector: {} }), want: [] },
  { what: 'a peer of nothing', spec: peer({}), want: ['Required networkPolicy.ingress[0].from[0]'] },
  {
    what: 'a peer of selector and block',
    spec: peer({ podSelector: {}, ipBlock: { cidr: '10.0.0.0/8' } }),
    want: ['Exclusive networkPolicy.ingress[0].from[0]'],
  },
  {
    what: 'a block and its exception',
    spec: peer({ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }),
    want: [],
  },
  {
    what: 'IPv6 blocks',
    spec: peer({ ipBlock: { cidr: 'fd00::/8', except: ['fd00:1::/32', '::ffff:1.2.3.4/128'] } }),
    want: ['BadAddress networkPolicy.ingress[0].from[0].ipBlock.except[1]'],
  },
  {
    what: 'an exception outside its block',
    spec: peer({ ipBlock: { cidr: '10.0.0.0/8', except: ['11.0.0.0/16'] } }),
    want: ['BadAddress networkPolicy.ingress[0].from[0].ipBlock.except[0]'],
  },
  {
    what: 'an exception of the whole block',
    spec: peer({ ipBlock: { cidr: '10.0.0.0/8', except: ['10.0.0.0/8'] } }),
    want: ['BadAddress networkPolicy.ingress[0].from[0].ipBlock.except[0]'],
  },
  {
    what: 'a block with host bits',
    spec: peer({ ipBlock: { cidr: '10.0.0.1/8' } }),
    want: ['BadAddress networkPolicy.ingress[0].from[0].ipBlock.cidr'],
  },
  {
    what: 'a block without a length',
    spec: peer({ ipBlock: { cidr: '10.0.0.1' } }),
    want: ['BadAddress networkPolicy.ingress[0].from[0].ipBlock.cidr'],
  },
  {
    what: 'ports',
    spec: policy({ ingress: [{ ports: [{ port: 80, endPort: 90, protocol: 'UDP' }, { port: 'http' }, {}] }] }),
    want: [],
  },
  {
    what: 'a port number in quotes',
    spec: port({ port: '80' }),
    want: ['BadName networkPolicy.ingress[0].ports[0].port'],
  },
  {
    what: 'a port beyond all',
    spec: port({ port: 70000 }),
    want: ['OutOfBounds networkPolicy.ingress[0].ports[0].port'],
  },
  {
    what: 'a range that ends before it begins',
    spec: port({ port: 80, endPort: 79 }),
    want: ['OutOfBounds networkPolicy.ingress[0].ports[0].endPort'],
  },
  {
    what: 'a range of a named port',
    spec: port({ port: 'http', endPort: 90 }),
    want: ['OutOfBounds networkPolicy.ingress[0].ports[0].endPort'],
  },
  {
    what: 'an unknown protocol',
    spec: port({ protocol: 'tcp' }),
    want: ['NotAllowedValue networkPolicy.ingress[0].ports[0].protocol'],
  },
];

describe('security, volumes and networks', () => {
  it.each(native)('$what', ({ spec, want }) => {
    expect(verdict(spec)).toEqual(want);
  });
});
