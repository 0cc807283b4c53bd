import { NATIVE_SCHEMAS } from '../../api/generated/native-schemas.js';
import type { Volume, VolumeMount } from '../../api/generated/types.js';
import { parseQuantity } from '../../api/quantity.js';
import { dnsLabelTrouble, dnsSubdomainTrouble, configKeyTrouble } from '../name-syntax.js';
import { checkFieldPath } from './env.js';
import { fileUser } from './projections.js';
import {
  between,
  gated,
  localPath,
  noBacksteps,
  relativePath,
  syntax,
  word,
  type NativeRules,
  type ValueCheck,
} from './rules.js';
import { bindMountOptions } from './volume-sources.js';

type DownwardItem = NonNullable<NonNullable<Volume['downwardAPI']>['items']>[number];
type EmptyDir = NonNullable<Volume['emptyDir']>;

const mode = between(0, 0o777);
const POD_FIELDS = ['metadata.name', 'metadata.namespace', 'metadata.uid', 'metadata.labels', 'metadata.annotations'];

/** The kinds of volume that the embedded schema knows. A volume of none of them is an emptyDir to Kubernetes. */
const VOLUME_SOURCES = Object.keys(NATIVE_SCHEMAS['Volume']?.properties ?? {}).filter((field) => field !== 'name');
const PROJECTION_SOURCES = Object.keys(NATIVE_SCHEMAS['VolumeProjection']?.properties ?? {});

const absolutePath: ValueCheck<string> = (value, path, report) => {
  if (value.startsWith('/')) return;
  report.error(path, { rule: 'BadPath', message: 'has to begin with /', hint: `write /${value}` });
};

const mount: ValueCheck<VolumeMount> = (value, path, report) => {
  const { subPath = '', subPathExpr = '', recursiveReadOnly, readOnly, mountPropagation } = value;
  if (subPath !== '' && subPathExpr !== '') {
    const message = 'subPath and subPathExpr exclude each other';
    report.error(path, { rule: 'Exclusive', message, hint: 'keep one of them' });
  }
  if (recursiveReadOnly !== undefined) {
    word('Disabled', 'IfPossible', 'Enabled')(recursiveReadOnly, [...path, 'recursiveReadOnly'], report);
  }
  const isRecursive = recursiveReadOnly !== undefined && recursiveReadOnly !== 'Disabled';
  if (isRecursive && (readOnly !== true || (mountPropagation !== undefined && mountPropagation !== 'None'))) {
    const message = 'needs readOnly: true and no mountPropagation';
    report.error([...path, 'recursiveReadOnly'], { rule: 'BadMount', message, hint: 'add readOnly: true' });
  }
};

const medium: ValueCheck<string> = (value, path, report) => {
  if (value === 'Memory' || value.startsWith('HugePages')) return;
  const message = `${JSON.stringify(value)} is no medium`;
  report.error(path, { rule: 'Unusable', message, hint: 'write Memory or HugePages, or leave it out' });
};

const sizeLimit: ValueCheck<EmptyDir> = ({ sizeLimit: limit }, path, report) => {
  if (limit === undefined || (parseQuantity(String(limit))?.nanos ?? 0n) >= 0n) return;
  report.error([...path, 'sizeLimit'], {
    rule: 'OutOfBounds',
    message: 'must not be negative',
    hint: 'write 0 or more',
  });
};

const downwardItem: ValueCheck<DownwardItem> = ({ fieldRef, resourceFieldRef }, path, report) => {
  if (fieldRef !== undefined) checkFieldPath(fieldRef, POD_FIELDS, [...path, 'fieldRef'], report);
  if (resourceFieldRef !== undefined && (resourceFieldRef.containerName ?? '') === '') {
    const at = [...path, 'resourceFieldRef', 'containerName'];
    report.error(at, { rule: 'Required', message: 'is required in a volume', hint: 'write containerName: hermes' });
  }
};

const ephemeralClaim: ValueCheck<NonNullable<Volume['ephemeral']>> = ({ volumeClaimTemplate }, path, report) => {
  if (volumeClaimTemplate === undefined) {
    report.error([...path, 'volumeClaimTemplate'], { rule: 'Required', message: 'is required', hint: 'add it' });
    return;
  }
  const { accessModes = [], resources } = volumeClaimTemplate.spec;
  if (accessModes.length > 0 && resources?.requests?.['storage'] !== undefined) return;
  const message = 'accessModes and resources.requests.storage are required';
  report.error([...path, 'volumeClaimTemplate', 'spec'], { rule: 'Required', message, hint: 'add them' });
};

/** Volumes, their sources and where they are mounted. */
export const VOLUME_RULES: Readonly<Record<string, NativeRules>> = {
  Volume: {
    needs: ['name'],
    oneOf: { fields: VOLUME_SOURCES, exactly: false },
    fields: { name: syntax(dnsLabelTrouble) },
  },
  VolumeMount: {
    needs: ['name', 'mountPath'],
    fields: {
      subPath: relativePath,
      subPathExpr: relativePath,
      mountPropagation: word('None', 'HostToContainer', 'Bidirectional'),
      bindMountOptions,
    },
    whole: [mount],
  },
  EmptyDirVolumeSource: { fields: { medium, mode: gated(mode) }, whole: [sizeLimit] },
  HostPathVolumeSource: {
    needs: ['path'],
    fields: {
      path: noBacksteps,
      type: word('DirectoryOrCreate', 'Directory', 'FileOrCreate', 'File', 'Socket', 'CharDevice', 'BlockDevice'),
    },
  },
  PersistentVolumeClaimVolumeSource: { needs: ['claimName'], fields: { claimName: syntax(dnsSubdomainTrouble) } },
  SecretVolumeSource: { needs: ['secretName'], fields: { defaultMode: mode, defaultUser: fileUser } },
  ConfigMapVolumeSource: { needs: ['name'], fields: { defaultMode: mode, defaultUser: fileUser } },
  DownwardAPIVolumeSource: { fields: { defaultMode: mode, defaultUser: fileUser } },
  VolumeProjection: { oneOf: { fields: PROJECTION_SOURCES, exactly: false } },
  SecretProjection: { needs: ['name'] },
  ConfigMapProjection: { needs: ['name'] },
  KeyToPath: {
    needs: ['key', 'path'],
    fields: { key: syntax(configKeyTrouble), path: localPath, mode, user: fileUser },
  },
  DownwardAPIVolumeFile: {
    needs: ['path'],
    oneOf: { fields: ['fieldRef', 'resourceFieldRef'], exactly: true },
    fields: { path: localPath, mode, user: fileUser },
    whole: [downwardItem],
  },
  NFSVolumeSource: { needs: ['server', 'path'], fields: { path: absolutePath } },
  GitRepoVolumeSource: { needs: ['repository'], fields: { directory: relativePath } },
  ImageVolumeSource: { needs: ['reference'], fields: { pullPolicy: word('Always', 'Never', 'IfNotPresent') } },
  EphemeralVolumeSource: { whole: [ephemeralClaim] },
};
