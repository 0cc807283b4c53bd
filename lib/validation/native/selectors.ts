import { checkAnnotationSize } from '../metadata.js';
import { labelValueTrouble, qualifiedNameTrouble } from '../name-syntax.js';
import { all, each, keys, syntax, values, word, type NativeRules, type ValueCheck } from './rules.js';

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

/** How many values an operator takes. */
const VALUE_COUNTS: Readonly<Record<string, readonly [number, number]>> = {
  In: [1, Infinity],
  NotIn: [1, Infinity],
  Exists: [0, 0],
  DoesNotExist: [0, 0],
  Gt: [1, 1],
  Lt: [1, 1],
};

/** Operator and number of values of a requirement fit together. */
const valueCount: ValueCheck<Requirement> = ({ operator, values: given = [] }, path, report) => {
  const [least, most] = VALUE_COUNTS[operator] ?? [0, Infinity];
  if (given.length >= least && given.length <= most) return;
  const takes = most === 0 ? 'no values' : most === 1 ? 'exactly one value' : 'at least one value';
  const hint = most === 0 ? 'remove values' : 'add values';
  report.error([...path, 'values'], { rule: 'BadSelector', message: `operator ${operator} takes ${takes}`, hint });
};

/** Every label key and value of a map. */
export const labelMap = all(keys(syntax(qualifiedNameTrouble)), values(syntax(labelValueTrouble)));

/** Every annotation key of a map, and the size of the whole. */
export const annotationMap: ValueCheck<Readonly<Record<string, string>>> = (map, path, report) => {
  keys(syntax((key) => qualifiedNameTrouble(key.toLowerCase())))(map, path, report);
  checkAnnotationSize(map, path as readonly string[], report);
};

/** Selectors of labels, of pods and of nodes. */
export const SELECTOR_RULES: Readonly<Record<string, NativeRules>> = {
  ObjectMeta: { fields: { labels: labelMap, annotations: annotationMap } },
  LabelSelector: { fields: { matchLabels: labelMap } },
  LabelSelectorRequirement: {
    needs: ['key', 'operator'],
    fields: {
      key: syntax(qualifiedNameTrouble),
      operator: word('In', 'NotIn', 'Exists', 'DoesNotExist'),
      values: each(syntax(labelValueTrouble)),
    },
    whole: [valueCount],
  },
  NodeSelectorRequirement: {
    needs: ['key', 'operator'],
    fields: {
      key: syntax(qualifiedNameTrouble),
      operator: word('In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'),
    },
    whole: [valueCount],
  },
};
