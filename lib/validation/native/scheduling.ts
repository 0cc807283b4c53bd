import type { Affinity, Toleration, TopologySpreadConstraint } from '../../api/generated/types.js';
import { dnsLabelTrouble, dnsSubdomainTrouble, labelValueTrouble, qualifiedNameTrouble } from '../name-syntax.js';
import { between, each, syntax, word, type NativeRules, type ValueCheck } from './rules.js';

type NodeAffinity = NonNullable<Affinity['nodeAffinity']>;
type NodeSelector = NonNullable<NodeAffinity['requiredDuringSchedulingIgnoredDuringExecution']>;
type NodeSelectorTerm = NodeSelector['nodeSelectorTerms'][number];
type MatchField = NonNullable<NodeSelectorTerm['matchFields']>[number];

/** What does not fit together in a toleration: the field to change, why, and what to write. */
function tolerationTroubles(toleration: Toleration): readonly (readonly [string, string, string])[] {
  const { key = '', operator = 'Equal', value = '', effect = '', tolerationSeconds } = toleration;
  const valueTrouble = operator === 'Equal' ? labelValueTrouble(value) : undefined;
  const rows: readonly (readonly [boolean, string, string, string])[] = [
    [key === '' && operator !== 'Exists', 'operator', 'has to be Exists without a key', 'add key, or write Exists'],
    [
      tolerationSeconds !== undefined && effect !== 'NoExecute',
      'effect',
      'has to be NoExecute with tolerationSeconds',
      'write effect: NoExecute',
    ],
    [operator === 'Exists' && value !== '', 'value', 'has to be absent with operator Exists', 'remove value'],
    [valueTrouble !== undefined, 'value', valueTrouble ?? '', 'write a label value'],
  ];
  return rows.filter(([applies]) => applies).map(([, ...trouble]) => trouble);
}

const tolerationFits: ValueCheck<Toleration> = (toleration, path, report) => {
  for (const [field, message, hint] of tolerationTroubles(toleration)) {
    report.error([...path, field], { rule: 'BadToleration', message, hint });
  }
};

const spreadFits: ValueCheck<TopologySpreadConstraint> = (constraint, path, report) => {
  const { minDomains, whenUnsatisfiable, matchLabelKeys = [], labelSelector } = constraint;
  if (minDomains !== undefined && whenUnsatisfiable !== 'DoNotSchedule') {
    const message = 'needs whenUnsatisfiable: DoNotSchedule';
    report.error([...path, 'minDomains'], { rule: 'BadSpread', message, hint: 'remove minDomains' });
  }
  if (matchLabelKeys.length > 0 && labelSelector === undefined) {
    const message = 'needs a labelSelector';
    report.error([...path, 'matchLabelKeys'], { rule: 'BadSpread', message, hint: 'add labelSelector' });
  }
};

interface KeyedTerm {
  readonly labelSelector?: unknown;
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
}

const labelKeysFit: ValueCheck<KeyedTerm> = (term, path, report) => {
  const { matchLabelKeys = [], mismatchLabelKeys = [], labelSelector } = term;
  if (matchLabelKeys.length + mismatchLabelKeys.length > 0 && labelSelector === undefined) {
    report.error(path, { rule: 'BadSelector', message: 'label keys need a labelSelector', hint: 'add labelSelector' });
  }
  const both = matchLabelKeys.filter((key) => mismatchLabelKeys.includes(key));
  if (both.length > 0) {
    const message = `${both.join(', ')} is in matchLabelKeys and mismatchLabelKeys`;
    report.error(path, { rule: 'BadSelector', message, hint: 'keep it in one of them' });
  }
};

/** Values that a preferred term may hold freely have to be label values in a required one. */
const requiredTerms: ValueCheck<NodeSelector> = ({ nodeSelectorTerms }, path, report) => {
  const at = [...path, 'nodeSelectorTerms'];
  if (nodeSelectorTerms.length === 0) {
    report.error(at, { rule: 'Required', message: 'has to have at least one term', hint: 'add a term' });
  }
  nodeSelectorTerms.forEach((term, index) => {
    (term.matchExpressions ?? []).forEach(({ values = [] }, expression) => {
      each(syntax(labelValueTrouble))(values, [...at, index, 'matchExpressions', expression, 'values'], report);
    });
  });
};

const matchFields: ValueCheck<readonly MatchField[]> = each(({ key, operator, values = [] }, path, report) => {
  values.forEach((value, index) => {
    syntax(dnsSubdomainTrouble)(value, [...path, 'values', index], report);
  });
  const isValid = key === 'metadata.name' && ['In', 'NotIn'].includes(operator) && values.length === 1;
  if (isValid) return;
  const message = 'has to be metadata.name, In or NotIn, and one value';
  report.error(path, {
    rule: 'BadSelector',
    message,
    hint: 'write {key: metadata.name, operator: In, values: [node]}',
  });
});

/** Where pods may run. */
export const SCHEDULING_RULES: Readonly<Record<string, NativeRules>> = {
  Toleration: {
    fields: {
      key: syntax(qualifiedNameTrouble),
      operator: word('Exists', 'Equal'),
      effect: word('NoSchedule', 'PreferNoSchedule', 'NoExecute'),
    },
    whole: [tolerationFits],
  },
  TopologySpreadConstraint: {
    needs: ['topologyKey', 'whenUnsatisfiable'],
    fields: {
      maxSkew: between(1, 2 ** 31 - 1),
      minDomains: between(1, 2 ** 31 - 1),
      whenUnsatisfiable: word('DoNotSchedule', 'ScheduleAnyway'),
      nodeAffinityPolicy: word('Honor', 'Ignore'),
      nodeTaintsPolicy: word('Honor', 'Ignore'),
      matchLabelKeys: each(syntax(qualifiedNameTrouble)),
    },
    whole: [spreadFits],
  },
  NodeSelector: { whole: [requiredTerms] },
  NodeSelectorTerm: { fields: { matchFields } },
  PreferredSchedulingTerm: { fields: { weight: between(1, 100) } },
  WeightedPodAffinityTerm: { fields: { weight: between(1, 100) } },
  PodAffinityTerm: {
    needs: ['topologyKey'],
    fields: {
      topologyKey: syntax(qualifiedNameTrouble),
      namespaces: each(syntax(dnsLabelTrouble)),
      matchLabelKeys: each(syntax(qualifiedNameTrouble)),
      mismatchLabelKeys: each(syntax(qualifiedNameTrouble)),
    },
    whole: [labelKeysFit],
  },
};
