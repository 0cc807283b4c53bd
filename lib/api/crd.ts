import { NATIVE_SCHEMAS } from './generated/native-schemas.js';
import { agentRunSpecSchema } from './agent-run-schema.js';
import { agentRunStatusSchema } from './agent-run-status-schema.js';
import { hermesAgentSpecSchema } from './hermes-agent-schema.js';
import { hermesAgentStatusSchema } from './hermes-agent-status-schema.js';
import { AGENT_KIND, AGENT_PLURAL, FOREIGN, GROUP, RUN_KIND, RUN_PLURAL, VERSION } from './identity.js';
import { inlineRefs, type JsonSchema } from './json-schema.js';
import { agentNameRules, runNameRules } from './name-rules.js';

/** `apiextensions.k8s.io/v1` CustomResourceDefinition, as far as this project fills it. */
export interface CustomResourceDefinition {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  readonly metadata: { readonly name: string; readonly annotations: Readonly<Record<string, string>> };
  readonly spec: {
    readonly group: string;
    readonly scope: 'Namespaced';
    readonly names: Readonly<Record<'kind' | 'listKind' | 'plural' | 'singular', string>> & {
      readonly shortNames: readonly string[];
      readonly categories: readonly string[];
    };
    readonly versions: readonly CrdVersion[];
  };
}

interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly subresources: { readonly status: Readonly<Record<string, never>> };
  readonly additionalPrinterColumns: readonly PrinterColumn[];
  readonly schema: { readonly openAPIV3Schema: JsonSchema };
}

interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly jsonPath: string;
  readonly description?: string;
  /** 0 is always shown, 1 with `-o wide`. */
  readonly priority?: 0 | 1;
}

/** An engine that prunes a CRD deletes every object of its kind, volumes included. */
const NEVER_PRUNED = {
  [FOREIGN.argoSyncOptions]: 'Prune=false,Delete=false',
  [FOREIGN.fluxPrune]: 'disabled',
};

/** What the two kinds have in common at their root. */
const envelope = {
  type: 'object',
  required: ['spec'],
} as const;
const envelopeFields = {
  apiVersion: { type: 'string' },
  kind: { type: 'string' },
  metadata: { type: 'object' },
} as const;

/** The root schema of the HermesAgent kind, with native types still by reference. Source of the CRD and of the types. */
export const hermesAgentSchema: JsonSchema = {
  ...envelope,
  description: 'A long-lived Hermes agent with its data volume.',
  properties: { ...envelopeFields, spec: hermesAgentSpecSchema, status: hermesAgentStatusSchema },
  'x-kubernetes-validations': agentNameRules,
};

/** The root schema of the AgentRun kind, like {@link hermesAgentSchema}. */
export const agentRunSchema: JsonSchema = {
  ...envelope,
  description: 'One execution of a Hermes agent to completion.',
  properties: { ...envelopeFields, spec: agentRunSpecSchema, status: agentRunStatusSchema },
  'x-kubernetes-validations': runNameRules,
};

const agentColumns: readonly PrinterColumn[] = [
  { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
  { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  { name: 'Image', type: 'string', jsonPath: '.spec.image' },
  { name: 'Pod', type: 'string', jsonPath: '.status.podName', priority: 1 },
  { name: 'Restarts', type: 'integer', jsonPath: '.status.restarts', priority: 1 },
  { name: 'Gateways', type: 'string', jsonPath: '.status.gatewaySummary', priority: 1 },
  { name: 'Message', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].message', priority: 1 },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
];

const runColumns: readonly PrinterColumn[] = [
  { name: 'Agent', type: 'string', jsonPath: '.spec.agentRef.name' },
  { name: 'Phase', type: 'string', jsonPath: '.status.phase' },
  { name: 'Reason', type: 'string', jsonPath: '.status.conditions[?(@.type=="Succeeded")].reason' },
  { name: 'Duration', type: 'integer', jsonPath: '.status.duration', priority: 1 },
  { name: 'Pod', type: 'string', jsonPath: '.status.podName', priority: 1 },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
];

/** What one kind has of its own. */
interface Kind {
  readonly kind: string;
  readonly plural: string;
  readonly shortName: string;
  readonly columns: readonly PrinterColumn[];
  readonly schema: JsonSchema;
}

/** The CustomResourceDefinition of HermesAgent. */
export function hermesAgentCrd(): CustomResourceDefinition {
  return definition({
    kind: AGENT_KIND,
    plural: AGENT_PLURAL,
    shortName: 'ha',
    columns: agentColumns,
    schema: hermesAgentSchema,
  });
}

/** The CustomResourceDefinition of AgentRun. */
export function agentRunCrd(): CustomResourceDefinition {
  return definition({
    kind: RUN_KIND,
    plural: RUN_PLURAL,
    shortName: 'ar',
    columns: runColumns,
    schema: agentRunSchema,
  });
}

function definition({ kind, plural, shortName, columns, schema }: Kind): CustomResourceDefinition {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}`, annotations: NEVER_PRUNED },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        shortNames: [shortName],
        categories: ['hermes'],
      },
      versions: [
        {
          name: VERSION,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: columns,
          schema: { openAPIV3Schema: inlineRefs(schema, NATIVE_SCHEMAS) },
        },
      ],
    },
  };
}
