import type { Volume } from '../../api/generated/types.js';
import { dnsLabelTrouble, dnsSubdomainTrouble } from '../name-syntax.js';
import { between, each, gated, syntax, type NativeRules, type ValueCheck } from './rules.js';

type Source<K extends keyof Volume> = NonNullable<Volume[K]>;

const partition = between(0, 255);
const ISCSI_NAME = /iqn\.\d{4}-\d{2}\.([-.a-zA-Z0-9]+)(:[^,;*&$|\s]+)$|^eui.[a-zA-Z0-9]{16}$|^naa.[a-zA-Z0-9]{32}$/;
const HOST_AND_PORT = /^([^:[\]]*|\[[^[\]]*\]):[^:[\]]*$/;
const RESERVED_OPTION = /(^|\.)(kubernetes|k8s)\.io(\/|$)/i;

const azureUri: ValueCheck<Source<'azureDisk'>> = ({ kind, diskURI }, path, report) => {
  if (kind === undefined) return;
  const start = kind === 'Managed' ? '/subscriptions/' : 'https://';
  if (diskURI.startsWith(start)) return;
  const message = `has to begin with ${start} for a disk of kind ${kind}`;
  report.error([...path, 'diskURI'], { rule: 'BadFormat', message, hint: 'copy the URI of the disk' });
};

/** A name that an initiator or a target goes by. */
const iscsiName: ValueCheck<string> = (value, path, report) => {
  const hasKind = /^(iqn|eui|naa)/.test(value);
  if (hasKind && ISCSI_NAME.test(value)) return;
  const hint = 'write a name such as iqn.2001-04.com.example:storage';
  report.error(path, { rule: 'BadFormat', message: `${JSON.stringify(value)} is no iSCSI name`, hint });
};

const iscsi: ValueCheck<Source<'iscsi'>> = (source, path, report) => {
  const { chapAuthDiscovery, chapAuthSession, secretRef, initiatorName } = source;
  if ((chapAuthDiscovery === true || chapAuthSession === true) && secretRef === undefined) {
    const message = 'is required for CHAP';
    report.error([...path, 'secretRef'], { rule: 'Required', message, hint: 'add secretRef' });
  }
  if (initiatorName !== undefined) iscsiName(initiatorName, [...path, 'initiatorName'], report);
};

const fibreChannel: ValueCheck<Source<'fc'>> = ({ targetWWNs = [], wwids = [], lun }, path, report) => {
  if (targetWWNs.length > 0 === wwids.length > 0) {
    const message = 'needs either targetWWNs or wwids';
    report.error(path, { rule: 'Exclusive', message, hint: 'write one of the two' });
  }
  if (targetWWNs.length === 0) return;
  const at = [...path, 'lun'];
  if (lun === undefined) report.error(at, { rule: 'Required', message: 'is required', hint: 'add lun' });
  else partition(lun, at, report);
};

const flocker: ValueCheck<Source<'flocker'>> = ({ datasetName = '', datasetUUID = '' }, path, report) => {
  if ((datasetName === '') === (datasetUUID === '')) {
    const message = 'needs either datasetName or datasetUUID';
    report.error(path, { rule: 'Exclusive', message, hint: 'write one of the two' });
  }
  if (!datasetName.includes('/')) return;
  report.error([...path, 'datasetName'], { rule: 'BadFormat', message: "must not contain '/'", hint: 'remove it' });
};

const quobyte: ValueCheck<Source<'quobyte'>> = ({ registry, tenant = '' }, path, report) => {
  if (Buffer.byteLength(tenant) > 64) {
    const message = 'is longer than 64 characters';
    report.error([...path, 'tenant'], { rule: 'OutOfBounds', message, hint: 'shorten it' });
  }
  if (registry.split(',').every((pair) => HOST_AND_PORT.test(pair))) return;
  const message = 'has to be host:port, or several with commas between';
  report.error([...path, 'registry'], { rule: 'BadFormat', message, hint: 'add the port' });
};

const flexOptions: ValueCheck<Readonly<Record<string, string>>> = (options, path, report) => {
  for (const key of Object.keys(options)) {
    const [namespace = ''] = key.split('/');
    if (!RESERVED_OPTION.test(namespace)) continue;
    report.error([...path, key], { rule: 'BadName', message: 'is a reserved key', hint: 'use another key' });
  }
};

/** A secret that, when it is named at all, needs a name. */
const namedSecret: ValueCheck<{ readonly name?: string }> = ({ name = '' }, path, report) => {
  if (name !== '') return;
  report.error([...path, 'name'], { rule: 'Required', message: 'is required', hint: 'add name' });
};

const publishSecret: ValueCheck<{ readonly name?: string }> = (value, path, report) => {
  namedSecret(value, path, report);
  if (value.name !== undefined && value.name !== '') syntax(dnsSubdomainTrouble)(value.name, [...path, 'name'], report);
};

/** A CSI driver is named like a subdomain of at most 63 characters; upper case is taken too. */
const csiDriver: ValueCheck<string> = (value, path, report) => {
  const trouble = value.length > 63 ? 'is longer than 63 characters' : dnsSubdomainTrouble(value.toLowerCase());
  if (trouble !== undefined) report.error(path, { rule: 'BadName', message: trouble, hint: 'write its name' });
};

const monitors: ValueCheck<{ readonly monitors: readonly string[] }> = (source, path, report) => {
  if (source.monitors.length > 0) return;
  const at = [...path, 'monitors'];
  report.error(at, { rule: 'Required', message: 'has to have at least one item', hint: 'add a monitor' });
};

const bindOption: ValueCheck<string> = (value, path, report) => {
  if (['nodev', 'noexec', 'nosuid'].includes(value)) return;
  const hint = 'write nodev, noexec or nosuid';
  report.error(path, { rule: 'NotAllowedValue', message: `${JSON.stringify(value)} is no mount option`, hint });
};

/** Options of a mount that no other mount of the volume shares. */
export const bindMountOptions: ValueCheck<readonly string[]> = gated(each(bindOption));

/** Sources of volumes that belong to one storage system each. */
export const VOLUME_SOURCE_RULES: Readonly<Record<string, NativeRules>> = {
  AWSElasticBlockStoreVolumeSource: { needs: ['volumeID'], fields: { partition } },
  AzureDiskVolumeSource: { needs: ['diskName', 'diskURI'], whole: [azureUri] },
  AzureFileVolumeSource: { needs: ['secretName', 'shareName'] },
  CephFSVolumeSource: { whole: [monitors] },
  CinderVolumeSource: { needs: ['volumeID'], fields: { secretRef: namedSecret } },
  CSIVolumeSource: { needs: ['driver'], fields: { driver: csiDriver, nodePublishSecretRef: publishSecret } },
  FCVolumeSource: { whole: [fibreChannel] },
  FlexVolumeSource: { needs: ['driver'], fields: { options: flexOptions } },
  FlockerVolumeSource: { whole: [flocker] },
  GCEPersistentDiskVolumeSource: { needs: ['pdName'], fields: { partition } },
  GlusterfsVolumeSource: { needs: ['endpoints', 'path'] },
  ISCSIVolumeSource: {
    needs: ['targetPortal', 'iqn'],
    fields: { iqn: iscsiName, lun: partition },
    whole: [iscsi],
  },
  PhotonPersistentDiskVolumeSource: { needs: ['pdID'] },
  PortworxVolumeSource: { needs: ['volumeID'] },
  QuobyteVolumeSource: { needs: ['registry', 'volume'], whole: [quobyte] },
  RBDVolumeSource: { needs: ['image'], whole: [monitors] },
  ScaleIOVolumeSource: { needs: ['gateway', 'system', 'volumeName'] },
  StorageOSVolumeSource: {
    needs: ['volumeName'],
    fields: {
      volumeName: syntax(dnsLabelTrouble),
      volumeNamespace: syntax(dnsLabelTrouble),
      secretRef: namedSecret,
    },
  },
  VsphereVirtualDiskVolumeSource: { needs: ['volumePath'] },
};
