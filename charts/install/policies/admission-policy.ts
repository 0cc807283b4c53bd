import type { KubeManifest } from '../../../lib/children/manifest.js';
import { clusterMetadata } from '../metadata.js';

/** A condition in CEL. */
interface NamedExpression {
  readonly name: string;
  readonly expression: string;
}

/** One rule of a policy: refused unless the expression is true. */
export interface Validation {
  readonly expression: string;
  readonly message: string;
}

/** Which requests a policy is asked about. */
interface ResourceRule {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly resources: readonly string[];
  readonly operations: readonly ('CREATE' | 'UPDATE' | 'DELETE')[];
}

/** A policy with its binding, in our own terms. */
export interface PolicyDefinition {
  readonly name: string;
  readonly resourceRules: readonly ResourceRule[];
  readonly matchConditions: readonly NamedExpression[];
  readonly variables?: readonly NamedExpression[];
  readonly validations: readonly Validation[];
}

const API_VERSION = 'admissionregistration.k8s.io/v1';

/** The policy. What it cannot judge is refused, but only to those whom its match conditions mean. */
export function admissionPolicy(definition: PolicyDefinition): KubeManifest {
  const { name, resourceRules, matchConditions, variables, validations } = definition;
  return {
    apiVersion: API_VERSION,
    kind: 'ValidatingAdmissionPolicy',
    metadata: clusterMetadata(name),
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: { resourceRules },
      matchConditions,
      ...(variables && { variables }),
      validations: validations.map((validation) => ({ ...validation, reason: 'Forbidden' })),
    },
  };
}

/** Puts the policy in force. */
export function admissionPolicyBinding({ name }: PolicyDefinition): KubeManifest {
  return {
    apiVersion: API_VERSION,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: clusterMetadata(name),
    spec: { policyName: name, validationActions: ['Deny'] },
  };
}
