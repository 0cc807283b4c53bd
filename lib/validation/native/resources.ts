import type { PersistentVolumeClaimSpec, ResourceRequirements } from '../../api/generated/types.js';
import { compareQuantities, parseQuantity } from '../../api/quantity.js';
import { dnsLabelTrouble, dnsSubdomainTrouble, qualifiedNameTrouble } from '../name-syntax.js';
import type { PathSegment } from '../problem.js';
import type { Reporter } from '../reporter.js';
import { each, gated, syntax, word, type NativeRules, type ValueCheck } from './rules.js';

type Amounts = Readonly<Record<string, string | number>>;

const CONTAINER_RESOURCE = /^(cpu|memory|ephemeral-storage|hugepages-.+)$/;

const HUGE_PAGES = 'hugepages-';

/** Whether more may be requested than there is: not so for huge pages and devices. */
function mayOvercommit(name: string): boolean {
  return !name.startsWith('hugepages-') && (!name.includes('/') || name.includes('kubernetes.io/'));
}

const containerResources: ValueCheck<ResourceRequirements> = (
  { requests = {}, limits = {}, claims = [] },
  path,
  report,
) => {
  checkAmounts(limits, [...path, 'limits'], report);
  checkAmounts(requests, [...path, 'requests'], report);
  for (const [name, request] of Object.entries(requests)) {
    checkAgainstLimit({ name, request, limit: limits[name] }, path, report);
  }
  const names = [...Object.keys(requests), ...Object.keys(limits)];
  if (
    names.some((name) => name.startsWith('hugepages-')) &&
    !names.some((name) => name === 'cpu' || name === 'memory')
  ) {
    const message = 'huge pages need cpu or memory beside them';
    report.error(path, { rule: 'BadResources', message, hint: 'add requests.memory' });
  }
  if (claims.length > 0) {
    const message = 'the pod has no resource claims to refer to';
    report.error([...path, 'claims'], { rule: 'NotSupported', message, hint: 'remove claims' });
  }
};

function checkAmounts(amounts: Amounts, path: readonly PathSegment[], report: Reporter): void {
  for (const [name, amount] of Object.entries(amounts)) {
    const at = [...path, name];
    const trouble = resourceNameTrouble(name);
    if (trouble !== undefined)
      report.error(at, { rule: 'BadResources', message: trouble, hint: 'write cpu, memory or a device' });
    const quantity = parseQuantity(String(amount));
    if (quantity === undefined) continue;
    checkPages(name, quantity.nanos, at, report);
    if (quantity.nanos < 0n)
      report.error(at, { rule: 'OutOfBounds', message: 'must not be negative', hint: 'write 0 or more' });
    if (!mayOvercommit(name) && name.includes('/') && quantity.nanos % 1_000_000_000n !== 0n) {
      report.error(at, { rule: 'OutOfBounds', message: 'has to be a whole number', hint: 'write a whole number' });
    }
  }
}

function resourceNameTrouble(name: string): string | undefined {
  if (!name.includes('/')) return unknownResource(name);
  return name.startsWith('requests.') ? "must not begin with 'requests.'" : qualifiedNameTrouble(name);
}

/** Huge pages come in whole pages. */
function checkPages(name: string, nanos: bigint, path: readonly PathSegment[], report: Reporter): void {
  if (!name.startsWith(HUGE_PAGES)) return;
  const page = parseQuantity(name.slice(HUGE_PAGES.length))?.nanos ?? 0n;
  if (page > 0n && nanos % page === 0n) return;
  const message = `has to be a multiple of the page size that ${name} names`;
  report.error(path, { rule: 'BadResources', message, hint: 'write whole pages' });
}

function unknownResource(name: string): string | undefined {
  return CONTAINER_RESOURCE.test(name) ? undefined : `${name} is no resource of a container`;
}

function checkAgainstLimit(
  {
    name,
    request,
    limit,
  }: { readonly name: string; readonly request: string | number; readonly limit: string | number | undefined },
  path: readonly PathSegment[],
  report: Reporter,
): void {
  const at = [...path, 'requests', name];
  if (limit === undefined) {
    if (mayOvercommit(name)) return;
    report.error(at, {
      rule: 'BadResources',
      message: `${name} needs a limit of the same amount`,
      hint: `add limits.${name}`,
    });
    return;
  }
  const order = compareQuantities(request, limit);
  if (order > 0 || (order < 0 && !mayOvercommit(name))) {
    const relation = mayOvercommit(name) ? 'at most' : 'equal to';
    const message = `${request} has to be ${relation} the limit ${limit}`;
    report.error(at, { rule: 'BadResources', message, hint: `write ${limit} or raise the limit` });
  }
}

const claimModes: ValueCheck<PersistentVolumeClaimSpec> = ({ accessModes = [] }, path, report) => {
  if (!accessModes.includes('ReadWriteOncePod') || accessModes.every((mode) => mode === 'ReadWriteOncePod')) return;
  const message = 'ReadWriteOncePod excludes all other modes';
  report.error([...path, 'accessModes'], { rule: 'Exclusive', message, hint: 'keep one mode' });
};

const claimSize: ValueCheck<PersistentVolumeClaimSpec> = ({ resources }, path, report) => {
  const storage = resources?.requests?.['storage'];
  if (storage === undefined || (parseQuantity(String(storage))?.nanos ?? 1n) > 0n) return;
  const at = [...path, 'resources', 'requests', 'storage'];
  report.error(at, { rule: 'OutOfBounds', message: 'has to be more than 0', hint: 'write a size such as 10Gi' });
};

const claimSource: ValueCheck<PersistentVolumeClaimSpec> = ({ dataSource, dataSourceRef }, path, report) => {
  if (dataSource === undefined || dataSourceRef === undefined) return;
  const isSame =
    dataSource.apiGroup === dataSourceRef.apiGroup &&
    dataSource.kind === dataSourceRef.kind &&
    dataSource.name === dataSourceRef.name;
  if (isSame && dataSourceRef.namespace === undefined) return;
  const message = 'dataSource and dataSourceRef name two things';
  report.error([...path, 'dataSource'], { rule: 'Exclusive', message, hint: 'keep dataSourceRef' });
};

type Reference = NonNullable<PersistentVolumeClaimSpec['dataSourceRef']>;

const reference: ValueCheck<Reference> = ({ apiGroup = '', kind, name }, path, report) => {
  for (const [field, value] of Object.entries({ kind, name })) {
    if (value !== '') continue;
    report.error([...path, field], { rule: 'Required', message: 'is required', hint: `add ${field}` });
  }
  if (apiGroup !== '') syntax(dnsSubdomainTrouble)(apiGroup, [...path, 'apiGroup'], report);
  if (apiGroup !== '' || kind === 'PersistentVolumeClaim') return;
  const message = 'has to be PersistentVolumeClaim without apiGroup';
  report.error([...path, 'kind'], { rule: 'NotAllowedValue', message, hint: 'add apiGroup' });
};

/** A reference into another namespace is one that clusters drop as a whole unless a feature is on. */
const referenceAcross: ValueCheck<Reference> = (value, path, report) => {
  const { namespace } = value;
  if (namespace === undefined) {
    reference(value, path, report);
    return;
  }
  gated(reference)(value, path, report);
  if (namespace !== '') gated(syntax(dnsLabelTrouble))(namespace, [...path, 'namespace'], report);
};

/** What containers and claims ask for. */
export const RESOURCE_RULES: Readonly<Record<string, NativeRules>> = {
  ResourceRequirements: { whole: [containerResources] },
  PersistentVolumeClaimSpec: {
    fields: {
      accessModes: each(word('ReadWriteOnce', 'ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOncePod')),
      storageClassName: syntax(dnsSubdomainTrouble),
      volumeAttributesClassName: syntax(dnsSubdomainTrouble),
      volumeMode: word('Filesystem', 'Block'),
    },
    whole: [claimModes, claimSize, claimSource],
  },
  TypedLocalObjectReference: { whole: [gated(reference)] },
  TypedObjectReference: { whole: [referenceAcross] },
};
