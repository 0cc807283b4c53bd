/** A rule by which an input is refused that the API server would take. */
export interface StricterRule {
  /** {@link Problem.rule} of the errors. */
  readonly rule: string;
  readonly reason: string;
}

/** Every rule that is stricter than the API server on purpose. All other errors are refusals of the API server itself. */
export const STRICTER_RULES: readonly StricterRule[] = [
  { rule: 'ClusterRoleNotAllowed', reason: 'engines apply with rights that agents must not be given unasked' },
  { rule: 'NamespaceNotAllowed', reason: 'a binding elsewhere opens a namespace whose owners were not asked' },
  { rule: 'DuplicateBinding', reason: 'two equal bindings would render one object twice' },
  { rule: 'ImageSyntax', reason: 'only the kubelet would refuse the image, after the old pod is gone' },
  { rule: 'AmbiguousNetworkPolicy', reason: 'the policy would allow or deny something else than it seems to' },
  { rule: 'IngressWithoutDashboard', reason: 'the ingress would lead to a Service that does not exist' },
  { rule: 'Clash', reason: 'rendering sets the same label, annotation, volume or mount' },
  { rule: 'QuotedValue', reason: 'a null where a text belongs is dropped by the API server, which nobody means' },
  { rule: 'AmbiguousScalar', reason: 'kubectl and the engines would read the file as something else' },
  { rule: 'DuplicateKey', reason: 'readers differ in which of the two wins' },
  { rule: 'BadKey', reason: 'a key that is no string is read differently by different readers' },
  { rule: 'Unusable', reason: 'only the kubelet would refuse the pod, after the old one is gone' },
  { rule: 'Gated', reason: 'a cluster in which the feature of the field is on would refuse it' },
  { rule: 'NotSupported', reason: 'a rendered object needs a fixed name, and the pod has no resource claims' },
  { rule: 'BadAddress', reason: 'addresses are read strictly, as the newest API servers do' },
  { rule: 'AgentNotFound', reason: 'a run takes over what its agent is when it is rendered' },
  { rule: 'AgentVolume', reason: 'the gateway of the agent holds a lock on its home for as long as it lives' },
  { rule: 'RunChanged', reason: 'the API server lets nobody change a run, and the engine would stop at it' },
  { rule: 'BadName', reason: 'a name that no object can have would leave the pod waiting for it' },
];
