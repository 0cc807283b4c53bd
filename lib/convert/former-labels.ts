import { isObject } from '../api/canonical-json.js';
import { LABELS } from '../api/identity.js';
import type { InputDocument } from '../input/documents.js';
import type { PathSegment, Problem } from '../validation/problem.js';

/** Labels that the former operator gave its pods, and what pods carry here. */
const FORMER_LABELS: Readonly<Record<string, string>> = {
  app: `${LABELS.name}: hermes-agent`,
  'hermes.undermountain.cc/agent': LABELS.agent,
  'hermes.undermountain.cc/agent-ns': LABELS.agentNamespace,
};

/** Selectors of a spec that look for labels which only the former operator's pods carry: they would select nothing. */
export function formerLabelProblems(document: InputDocument): readonly Problem[] {
  const spec = isObject(document.value) ? document.value['spec'] : undefined;
  return selectorsIn(spec, ['spec']).map(({ path, label }) => ({
    severity: 'warning',
    rule: 'FormerLabel',
    path,
    message: `selects pods by ${label}, which no pod that is rendered here carries`,
    hint: `select them by ${FORMER_LABELS[label] ?? ''}`,
    position: document.position(path),
  }));
}

interface FoundLabel {
  readonly path: readonly PathSegment[];
  readonly label: string;
}

function selectorsIn(value: unknown, path: readonly PathSegment[]): readonly FoundLabel[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => selectorsIn(item, [...path, index]));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const way = [...path, key];
    if (key === 'matchLabels' && isObject(inner))
      return Object.entries(inner)
        .filter(([label, wanted]) => isFormerLabel(label, [wanted]))
        .map(([label]) => ({ path: [...way, label], label }));
    if (key === 'matchExpressions' && Array.isArray(inner))
      return inner.flatMap((item, i) => expression(item, [...way, i]));
    return selectorsIn(inner, way);
  });
}

function expression(value: unknown, path: readonly PathSegment[]): readonly FoundLabel[] {
  if (!isObject(value) || typeof value['key'] !== 'string') return [];
  const values: readonly unknown[] = Array.isArray(value['values']) ? value['values'] : [];
  return isFormerLabel(value['key'], values) ? [{ path: [...path, 'key'], label: value['key'] }] : [];
}

/** `app` is everybody's label; only its value says that an agent is meant. */
function isFormerLabel(label: string, values: readonly unknown[]): boolean {
  return Object.hasOwn(FORMER_LABELS, label) && (label !== 'app' || values.includes('hermes'));
}
