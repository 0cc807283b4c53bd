import { AGENT_KIND, API_VERSION } from '../../lib/api/identity.js';
import type { Problem } from '../../lib/validation/problem.js';
import { roleKey } from '../cache/agent-cache.js';
import type { WantedSecret } from '../cache/secret-watchlist.js';
import type { StoredAgent } from '../kube/objects.js';

/** A reference to a Secret in a spec, as the status rules find them. */
export interface SecretReference {
  readonly name: string;
  readonly key?: string;
  readonly optional: boolean;
}

/** A role that a binding of a spec names. */
export interface WantedRole {
  readonly key: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** What follows from a spec alone. */
export interface SpecFacts {
  readonly problems: readonly Problem[];
  readonly specDigest?: string;
  readonly secrets: readonly WantedSecret[];
  readonly roles: readonly WantedRole[];
  /** Namespaces that the spec's bindings lie in; undefined stands for the cluster. */
  readonly bindingScopes: readonly (string | undefined)[];
}

/** How a spec is read; the rules themselves live elsewhere. */
export interface SpecRules {
  /** Errors of the stored object by the validation engine. */
  readonly validate: (object: unknown) => readonly Problem[];
  readonly digest: (spec: unknown) => string;
  readonly secretReferences: (spec: unknown) => readonly SecretReference[];
}

/** Facts by agent, computed once per generation: validating is the most expensive part of a pass. */
export class SpecFactsCache {
  readonly #rules: SpecRules;
  readonly #facts = new Map<string, { readonly version: string; readonly facts: SpecFacts }>();
  readonly #agentsByRole = new Map<string, Set<string>>();

  constructor(rules: SpecRules) {
    this.#rules = rules;
  }

  of(agentKey: string, agent: StoredAgent): SpecFacts {
    const version = `${agent.metadata.uid}/${agent.metadata.generation ?? agent.metadata.resourceVersion}`;
    const known = this.#facts.get(agentKey);
    if (known?.version === version) return known.facts;
    this.forget(agentKey);
    const facts = readFacts(agent, this.#rules);
    this.#facts.set(agentKey, { version, facts });
    for (const { key } of facts.roles) {
      const agents = this.#agentsByRole.get(key) ?? new Set<string>();
      this.#agentsByRole.set(key, agents.add(agentKey));
    }
    return facts;
  }

  /** Keys of the agents whose specs name this role. */
  agentsOfRole(key: string): readonly string[] {
    return [...(this.#agentsByRole.get(key) ?? [])];
  }

  forget(agentKey: string): void {
    for (const { key } of this.#facts.get(agentKey)?.facts.roles ?? []) {
      const agents = this.#agentsByRole.get(key);
      agents?.delete(agentKey);
      if (agents?.size === 0) this.#agentsByRole.delete(key);
    }
    this.#facts.delete(agentKey);
  }
}

function readFacts(agent: StoredAgent, rules: SpecRules): SpecFacts {
  const { spec, metadata } = agent;
  const problems = rules.validate({ apiVersion: API_VERSION, kind: AGENT_KIND, metadata, spec });
  const isValid = problems.every((problem) => problem.severity !== 'error');
  const bindings = readBindings(spec);
  return {
    problems,
    ...(isValid ? { specDigest: rules.digest(spec) } : {}),
    secrets: wantedSecrets(rules.secretReferences(spec)),
    roles: bindings
      .map(({ role }) => role)
      .filter((role, index, all) => all.findIndex((r) => r.key === role.key) === index),
    bindingScopes: bindingScopes(spec),
  };
}

/** The namespaces that the bindings of a spec lie in, each once; undefined stands for the cluster. */
export function bindingScopes(spec: unknown): readonly (string | undefined)[] {
  return [...new Set(readBindings(spec).map(({ scope }) => scope))];
}

/** An optional reference resolves whatever the Secret is, so it is not worth a read. */
function wantedSecrets(references: readonly SecretReference[]): readonly WantedSecret[] {
  const keys = new Map<string, Set<string>>();
  for (const { name, key, optional } of references) {
    if (optional) continue;
    const wanted = keys.get(name) ?? new Set<string>();
    if (key !== undefined) wanted.add(key);
    keys.set(name, wanted);
  }
  return [...keys].map(([name, wanted]) => ({ name, keys: [...wanted].sort() }));
}

interface SpecBinding {
  readonly scope: string | undefined;
  readonly role: WantedRole;
}

/** The bindings of a spec that may be anything: it may have been stored under another schema. */
function readBindings(spec: unknown): readonly SpecBinding[] {
  const rbac = field(spec, 'rbac');
  const inNamespaces = list(field(rbac, 'roleBindings')).map((entry) => toBinding(entry, field(entry, 'namespace')));
  const inCluster = list(field(rbac, 'clusterRoleBindings')).map((entry) => toBinding(entry, undefined));
  return [...inNamespaces, ...inCluster].filter((binding) => binding !== undefined);
}

function toBinding(entry: unknown, namespace: unknown): SpecBinding | undefined {
  const roleRef = field(entry, 'roleRef');
  const kind = field(roleRef, 'kind') ?? 'ClusterRole';
  const name = field(roleRef, 'name');
  if (typeof kind !== 'string' || typeof name !== 'string') return undefined;
  const scope = typeof namespace === 'string' ? namespace : undefined;
  const role = { kind, name, ...(kind === 'ClusterRole' || scope === undefined ? {} : { namespace: scope }) };
  return { scope, role: { ...role, key: roleKey(role) } };
}

function field(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Readonly<Record<string, unknown>>)[key];
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}
