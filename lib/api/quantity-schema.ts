import type { JsonSchema } from './json-schema.js';

/**
 * A Kubernetes quantity inside a CRD: an integer or a string of this pattern. The same form that controller-gen writes,
 * so a bare decimal such as `0.5` is refused by the API server and has to be quoted.
 */
export const QUANTITY_SCHEMA: JsonSchema = {
  'x-kubernetes-int-or-string': true,
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  pattern:
    '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$',
};
