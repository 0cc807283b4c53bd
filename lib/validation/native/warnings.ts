import type { Affinity, PersistentVolumeClaimSpec, ResourceRequirements, Volume } from '../../api/generated/types.js';
import { parseQuantity } from '../../api/quantity.js';
import type { PathSegment } from '../problem.js';
import type { Reporter } from '../reporter.js';
import { labelValueTrouble } from '../name-syntax.js';
import { each, type NativeRules, type ValueCheck } from './rules.js';

/** Kinds of volume that clusters of today refuse to mount. */
const DEAD_VOLUMES: readonly (keyof Volume)[] = [
  'cephfs',
  'flocker',
  'gitRepo',
  'glusterfs',
  'photonPersistentDisk',
  'quobyte',
  'rbd',
  'scaleIO',
  'storageos',
];

/** Labels of nodes that were renamed. */
const FORMER_LABELS: Readonly<Record<string, string>> = {
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
};

const WHOLE_BYTES = ['memory', 'ephemeral-storage', 'storage'];

const deadVolume: ValueCheck<Volume> = (volume, path, report) => {
  for (const kind of DEAD_VOLUMES.filter((name) => volume[name] !== undefined)) {
    const message = 'no longer works in clusters of today';
    report.warning([...path, kind], { rule: 'Deprecated', message, hint: 'use a CSI driver' });
  }
};

/** Warns of a node label that was renamed. */
export function warnOfFormerLabel(label: string, path: readonly PathSegment[], report: Reporter): void {
  const now = Object.hasOwn(FORMER_LABELS, label) ? FORMER_LABELS[label] : undefined;
  if (now === undefined) return;
  report.warning(path, { rule: 'Deprecated', message: `${label} was renamed`, hint: `write ${now}` });
}

interface NodeRequirement {
  readonly key: string;
  readonly values?: readonly string[];
}

const formerLabel: ValueCheck<NodeRequirement> = ({ key }, path, report) => {
  warnOfFormerLabel(key, [...path, 'key'], report);
};

interface Preferred {
  readonly preference: { readonly matchExpressions?: readonly NodeRequirement[] };
}

const preferredValues: ValueCheck<Preferred> = ({ preference: { matchExpressions = [] } }, path, report) => {
  matchExpressions.forEach(({ values = [] }, index) => {
    values.forEach((value, place) => {
      const trouble = labelValueTrouble(value);
      if (trouble === undefined) return;
      const at = [...path, 'preference', 'matchExpressions', index, 'values', place];
      report.warning(at, {
        rule: 'MatchesNothing',
        message: `no label has this value: it ${trouble}`,
        hint: 'remove it',
      });
    });
  });
};

type Term = NonNullable<NonNullable<Affinity['podAffinity']>['requiredDuringSchedulingIgnoredDuringExecution']>[number];

const absentSelector: ValueCheck<Pick<Term, 'labelSelector'>> = ({ labelSelector }, path, report) => {
  if (labelSelector !== undefined) return;
  const message = 'is absent, which matches no pod';
  report.warning([...path, 'labelSelector'], { rule: 'MatchesNothing', message, hint: 'add labelSelector' });
};

const spreadLabel: ValueCheck<{ readonly topologyKey: string }> = ({ topologyKey }, path, report) => {
  warnOfFormerLabel(topologyKey, [...path, 'topologyKey'], report);
};

/** Amounts of bytes that are no whole number. */
const wholeBytes: ValueCheck<Pick<ResourceRequirements, 'requests' | 'limits'>> = (amounts, path, report) => {
  for (const kind of ['limits', 'requests'] as const) {
    for (const [name, amount] of Object.entries(amounts[kind] ?? {})) {
      const { nanos = 0n } = WHOLE_BYTES.includes(name) ? (parseQuantity(String(amount)) ?? {}) : {};
      if (nanos % 1_000_000_000n === 0n) continue;
      const message = `${String(amount)} is no whole number of bytes`;
      report.warning([...path, kind, name], {
        rule: 'FractionalBytes',
        message,
        hint: 'write a suffix such as Mi or Gi',
      });
    }
  }
};

const claimBytes: ValueCheck<PersistentVolumeClaimSpec> = ({ resources }, path, report) => {
  if (resources !== undefined) wholeBytes(resources, [...path, 'resources'], report);
};

interface Item {
  readonly path: string;
}

/** Of two items of one path, or one below the other, only one is written. */
const overlappingItems: ValueCheck<{ readonly items?: readonly Item[] }> = ({ items = [] }, path, report) => {
  const names = items.map((item) => item.path.replace(/\/+$/, ''));
  names.forEach((name, index) => {
    const isTaken = names.slice(0, index).some((other) => isWithin(other, name) || isWithin(name, other));
    if (!isTaken) return;
    const message = `${name} overlaps with the path of another item`;
    report.warning([...path, 'items', index, 'path'], { rule: 'Overlap', message, hint: 'use another path' });
  });
};

function isWithin(inner: string, outer: string): boolean {
  return inner === outer || inner.startsWith(`${outer}/`);
}

const emptyProjection: ValueCheck<object> = (source, path, report) => {
  if (Object.keys(source).length > 0) return;
  report.warning(path, { rule: 'EmptyProjection', message: 'names no source', hint: 'remove it' });
};

/** What the API server takes and warns of. */
export const NATIVE_WARNINGS: Readonly<Record<string, NativeRules>> = {
  Volume: { whole: [deadVolume] },
  NodeSelectorTerm: { fields: { matchExpressions: each(formerLabel) } },
  PreferredSchedulingTerm: { whole: [preferredValues] },
  PodAffinityTerm: { whole: [absentSelector] },
  TopologySpreadConstraint: { whole: [absentSelector, spreadLabel] },
  ResourceRequirements: { whole: [wholeBytes] },
  PersistentVolumeClaimSpec: { whole: [claimBytes] },
  SecretVolumeSource: { whole: [overlappingItems] },
  ConfigMapVolumeSource: { whole: [overlappingItems] },
  DownwardAPIVolumeSource: { whole: [overlappingItems] },
  VolumeProjection: { whole: [emptyProjection] },
};
