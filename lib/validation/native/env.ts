import type { EnvVar, EnvVarSource } from '../../api/generated/types.js';
import { canonicalQuantity } from '../../api/quantity.js';
import {
  configKeyTrouble,
  dnsLabelTrouble,
  dnsSubdomainTrouble,
  envNameTrouble,
  qualifiedNameTrouble,
} from '../name-syntax.js';
import { noBacksteps, syntax, type NativeRules, type ValueCheck } from './rules.js';

type FieldRef = NonNullable<EnvVarSource['fieldRef']>;
type ResourceFieldRef = NonNullable<EnvVarSource['resourceFieldRef']>;

const ENV_FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
const SUBSCRIPTED = /^metadata\.(labels|annotations)\['([^']*)'\]$/;
const RESOURCE = /^(limits|requests)\.(cpu|memory|ephemeral-storage|hugepages-.*)$/;
const SIZE_DIVISORS = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

const valueOrSource: ValueCheck<EnvVar> = ({ value, valueFrom }, path, report) => {
  if (valueFrom === undefined || value === undefined || value === '') return;
  report.error(path, {
    rule: 'Exclusive',
    message: 'value and valueFrom exclude each other',
    hint: 'keep one of them',
  });
};

const envFieldPath: ValueCheck<EnvVarSource> = ({ fieldRef }, path, report) => {
  if (fieldRef === undefined) return;
  checkFieldPath(fieldRef, ENV_FIELDS, [...path, 'fieldRef'], report);
};

/** A field of the pod that the downward API gives, or a single label or annotation. */
export function checkFieldPath(
  fieldRef: FieldRef,
  allowed: readonly string[],
  path: Parameters<ValueCheck>[1],
  report: Parameters<ValueCheck>[2],
): void {
  const at = [...path, 'fieldPath'];
  const key = SUBSCRIPTED.exec(fieldRef.fieldPath)?.[2];
  if (!['v1', '', undefined].includes(fieldRef.apiVersion)) {
    report.error([...path, 'apiVersion'], { rule: 'NotAllowedValue', message: 'has to be v1', hint: 'write v1' });
  }
  if (key !== undefined) {
    syntax(qualifiedNameTrouble)(key.toLowerCase(), at, report);
  } else if (!allowed.includes(fieldRef.fieldPath)) {
    const message = `${JSON.stringify(fieldRef.fieldPath)} is no field that can be read here`;
    report.error(at, { rule: 'NotAllowedValue', message, hint: `write one of ${allowed.join(', ')}` });
  }
}

const resourceField: ValueCheck<ResourceFieldRef> = ({ resource, divisor }, path, report) => {
  if (!RESOURCE.test(resource)) {
    const message = `${JSON.stringify(resource)} is no resource of a container`;
    report.error([...path, 'resource'], {
      rule: 'NotAllowedValue',
      message,
      hint: 'write limits.cpu, requests.memory or their like',
    });
    return;
  }
  const allowed = resource.endsWith('.cpu') ? ['1m', '1'] : SIZE_DIVISORS;
  const canonical = divisor === undefined ? '0' : canonicalQuantity(divisor);
  if (canonical === undefined || canonical === '0' || allowed.includes(canonical)) return;
  const message = `is not one of ${allowed.join(', ')}`;
  report.error([...path, 'divisor'], { rule: 'NotAllowedValue', message, hint: `write one of ${allowed.join(', ')}` });
};

const configObject = { name: syntax(dnsSubdomainTrouble), key: syntax(configKeyTrouble) };

/** Environment variables and what they take their values from. */
export const ENV_RULES: Readonly<Record<string, NativeRules>> = {
  EnvVar: { needs: ['name'], fields: { name: syntax(envNameTrouble) }, whole: [valueOrSource] },
  EnvVarSource: {
    oneOf: { fields: ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'], exactly: true },
    whole: [envFieldPath],
  },
  ObjectFieldSelector: { needs: ['fieldPath'] },
  ResourceFieldSelector: { needs: ['resource'], whole: [resourceField] },
  SecretKeySelector: { needs: ['name', 'key'], fields: configObject },
  ConfigMapKeySelector: { needs: ['name', 'key'], fields: configObject },
  EnvFromSource: {
    oneOf: { fields: ['configMapRef', 'secretRef'], exactly: true },
    fields: { prefix: syntax(envNameTrouble) },
  },
  FileKeySelector: {
    needs: ['volumeName', 'path', 'key'],
    fields: { volumeName: syntax(dnsLabelTrouble), path: noBacksteps, key: syntax(envNameTrouble) },
  },
  ConfigMapEnvSource: { needs: ['name'], fields: { name: syntax(dnsSubdomainTrouble) } },
  SecretEnvSource: { needs: ['name'], fields: { name: syntax(dnsSubdomainTrouble) } },
};
