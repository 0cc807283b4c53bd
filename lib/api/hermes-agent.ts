import type { HermesAgentSpec } from './generated/types.js';
import type { API_VERSION, AGENT_KIND } from './identity.js';

/** The metadata that an input may carry. Everything else of ObjectMeta belongs to the API server. */
export interface InputMetadata {
  readonly name: string;
  readonly namespace: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A HermesAgent as people write it, after it was found valid. */
export interface HermesAgentObject {
  readonly apiVersion: typeof API_VERSION;
  readonly kind: typeof AGENT_KIND;
  readonly metadata: InputMetadata;
  readonly spec: HermesAgentSpec;
}

/** `T` with the fields `K` always there. */
export type WithDefaults<T, K extends keyof T> = Omit<T, K> & { readonly [P in K]-?: NonNullable<T[P]> };

type Dashboard = NonNullable<HermesAgentSpec['dashboard']>;
type DashboardService = WithDefaults<NonNullable<Dashboard['service']>, 'type'>;
type DashboardIngress = WithDefaults<NonNullable<Dashboard['ingress']>, 'enabled'>;

/** A spec in which every field that the CRD gives a default is filled in, so that no renderer knows a default. */
export interface ResolvedAgentSpec extends Omit<
  WithDefaults<HermesAgentSpec, 'imagePullPolicy' | 'suspend' | 'terminationGracePeriodSeconds' | 'execBackend'>,
  'storage' | 'dashboard' | 'networkPolicy'
> {
  readonly storage: WithDefaults<HermesAgentSpec['storage'], 'retainPolicy'>;
  readonly dashboard?: Omit<WithDefaults<Dashboard, 'enabled'>, 'service' | 'ingress'> & {
    readonly service?: DashboardService;
    readonly ingress?: DashboardIngress;
  };
  readonly networkPolicy?: WithDefaults<NonNullable<HermesAgentSpec['networkPolicy']>, 'enabled'>;
}

/** A valid agent, ready to be rendered. */
export interface ResolvedAgent {
  /** The input in canonical form: no nulls, no empty maps that mean nothing, quantities canonical. Rendered as it is. */
  readonly object: HermesAgentObject;
  readonly name: string;
  readonly namespace: string;
  /** {@link HermesAgentObject.spec} with every default filled in. */
  readonly spec: ResolvedAgentSpec;
  /** `v1:` and the SHA-256 of the canonical spec, as every child carries it. */
  readonly digest: string;
}
