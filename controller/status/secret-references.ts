import { field, items, text } from './spec-view.js';

/** One reference to a Secret. */
export interface SecretReference {
  readonly name: string;
  /** Absent for a whole Secret. */
  readonly key?: string;
  readonly optional: boolean;
}

/**
 * Every Secret that the containers of an agent take variables from: env and envFrom of the agent, its providers, its
 * gateways and its dashboard. Pull secrets and volumes are not among them. The spec may be anything.
 */
export function secretReferences(spec: unknown): readonly SecretReference[] {
  const dashboard = field(spec, 'dashboard');
  const containers = [spec, ...items(field(spec, 'llmProviders')), ...items(field(spec, 'gateways'))];
  const withDashboard = field(dashboard, 'enabled') === true ? [...containers, dashboard] : containers;
  return withDashboard.flatMap((holder) => [
    ...items(field(holder, 'env')).flatMap((entry) =>
      reference(field(field(entry, 'valueFrom'), 'secretKeyRef'), { isKey: true }),
    ),
    ...items(field(holder, 'envFrom')).flatMap((entry) => reference(field(entry, 'secretRef'), { isKey: false })),
  ]);
}

function reference(value: unknown, { isKey }: { readonly isKey: boolean }): SecretReference[] {
  const name = text(field(value, 'name'));
  const key = text(field(value, 'key'));
  if (name === undefined || (isKey && key === undefined)) return [];
  const optional = field(value, 'optional') === true;
  return [{ name, ...(isKey && key !== undefined && { key }), optional }];
}
