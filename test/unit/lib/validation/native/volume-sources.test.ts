import { describe, expect, it } from 'vitest';
import { verdict, type VerdictRow } from '../../../../support/verdict.js';

const volume = (source: object): object => ({ volumes: [{ name: 'v', ...source }] });
const projected = (...sources: readonly object[]): object => volume({ projected: { sources } });

const CERTIFICATE = { signerName: 'example.net/pods', keyType: 'ED25519' };
const ISCSI = { targetPortal: '10.0.0.1', iqn: 'iqn.2001-04.com.example:a', lun: 0 };

const sources: readonly VerdictRow[] = [
  { what: 'a disk', spec: volume({ azureDisk: { diskName: 'd', diskURI: 'any' } }), want: [] },
  {
    what: 'a managed disk by the address of a blob',
    spec: volume({ azureDisk: { kind: 'Managed', diskName: 'd', diskURI: 'https://a' } }),
    want: ['BadFormat volumes[0].azureDisk.diskURI'],
  },
  {
    what: 'a partition that is none',
    spec: volume({ gcePersistentDisk: { pdName: 'd', partition: 256 } }),
    want: ['OutOfBounds volumes[0].gcePersistentDisk.partition'],
  },
  { what: 'an iSCSI target', spec: volume({ iscsi: ISCSI }), want: [] },
  {
    what: 'an iSCSI name that is none',
    spec: volume({ iscsi: { ...ISCSI, iqn: 'iqn.a' } }),
    want: ['BadFormat volumes[0].iscsi.iqn'],
  },
  {
    what: 'CHAP without a secret',
    spec: volume({ iscsi: { ...ISCSI, chapAuthSession: true } }),
    want: ['Required volumes[0].iscsi.secretRef'],
  },
  { what: 'fibre channel by wwids', spec: volume({ fc: { wwids: ['a'] } }), want: [] },
  { what: 'fibre channel without a target', spec: volume({ fc: {} }), want: ['Exclusive volumes[0].fc'] },
  {
    what: 'fibre channel without lun',
    spec: volume({ fc: { targetWWNs: ['a'] } }),
    want: ['Required volumes[0].fc.lun'],
  },
  {
    what: 'a reserved option',
    spec: volume({ flexVolume: { driver: 'a/b', options: { 'x.kubernetes.io/a': 'b' } } }),
    want: ['BadName volumes[0].flexVolume.options["x.kubernetes.io/a"]'],
  },
  {
    what: 'a driver that is no name',
    spec: volume({ csi: { driver: 'a_b' } }),
    want: ['BadName volumes[0].csi.driver'],
  },
  {
    what: 'a registry without port',
    spec: volume({ quobyte: { registry: 'a', volume: 'b' } }),
    want: ['! Deprecated volumes[0].quobyte', 'BadFormat volumes[0].quobyte.registry'],
  },
  {
    what: 'a volume of a kind that is gone',
    spec: volume({ gitRepo: { repository: 'a' } }),
    want: ['! Deprecated volumes[0].gitRepo'],
  },
];

const projections: readonly VerdictRow[] = [
  { what: 'a bundle by name', spec: projected({ clusterTrustBundle: { name: 'a', path: 'b' } }), want: [] },
  {
    what: 'a bundle by nothing',
    spec: projected({ clusterTrustBundle: { path: 'b' } }),
    want: ['Exclusive volumes[0].projected.sources[0].clusterTrustBundle'],
  },
  {
    what: 'a signer without domain',
    spec: projected({ clusterTrustBundle: { signerName: 'a', path: 'b' } }),
    want: ['BadName volumes[0].projected.sources[0].clusterTrustBundle.signerName'],
  },
  { what: 'a certificate', spec: projected({ podCertificate: { ...CERTIFICATE, keyPath: 'a' } }), want: [] },
  {
    what: 'a certificate in no file',
    spec: projected({ podCertificate: CERTIFICATE }),
    want: ['Required volumes[0].projected.sources[0].podCertificate'],
  },
  {
    what: 'a certificate for less than an hour',
    spec: projected({ podCertificate: { ...CERTIFICATE, keyPath: 'a', maxExpirationSeconds: 3599 } }),
    want: ['OutOfBounds volumes[0].projected.sources[0].podCertificate.maxExpirationSeconds'],
  },
  {
    what: 'one file from two sources',
    spec: projected(
      { secret: { name: 'a', items: [{ key: 'k', path: 'p' }] } },
      { configMap: { name: 'a', items: [{ key: 'k', path: 'p' }] } },
    ),
    want: ['DuplicateItem volumes[0].projected.sources'],
  },
  { what: 'a source of nothing', spec: projected({}), want: ['! EmptyProjection volumes[0].projected.sources[0]'] },
];

const others: readonly VerdictRow[] = [
  {
    what: 'items that overlap',
    spec: volume({
      configMap: {
        name: 'a',
        items: [
          { key: 'k', path: 'p' },
          { key: 'l', path: 'p/q' },
        ],
      },
    }),
    want: ['! Overlap volumes[0].configMap.items[1].path'],
  },
  {
    what: 'half a byte',
    spec: { resources: { limits: { memory: '1500m' } } },
    want: ['! FractionalBytes resources.limits.memory'],
  },
  {
    what: 'half a page',
    spec: { resources: { limits: { 'hugepages-2Mi': '1Mi', memory: '1Gi' } } },
    want: ['BadResources resources.limits.hugepages-2Mi'],
  },
  {
    what: 'a node label that was renamed',
    spec: { nodeSelector: { 'beta.kubernetes.io/os': 'linux' } },
    want: ['! Deprecated nodeSelector["beta.kubernetes.io/os"]'],
  },
  {
    what: 'a Windows user that is none',
    spec: { securityContext: { windowsOptions: { runAsUserName: 'a/b' } } },
    want: ['BadFormat securityContext.windowsOptions.runAsUserName'],
  },
  {
    what: 'a variable from a file of no emptyDir',
    spec: { env: [{ name: 'A', valueFrom: { fileKeyRef: { volumeName: 'v', path: 'p', key: 'K' } } }] },
    want: ['UnknownVolume env[0].valueFrom.fileKeyRef.volumeName'],
  },
  {
    what: 'a user of a file that some clusters refuse',
    spec: volume({ secret: { secretName: 'a', defaultUser: -1 } }),
    want: ['Gated volumes[0].secret.defaultUser'],
  },
];

describe.each([
  ['sources of volumes', sources],
  ['projections', projections],
  ['what the API server warns of', others],
])('%s', (_, rows) => {
  it.each(rows)('$what', ({ spec, want }) => {
    expect(verdict(spec)).toEqual(want);
  });
});
