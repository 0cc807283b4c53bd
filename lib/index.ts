/** Everything that a TypeScript user of this package needs; nothing else is public. */
export type * from './api/generated/types.js';
export { agentRunCrd, type CustomResourceDefinition, hermesAgentCrd } from './api/crd.js';
export type { AgentRunObject, ResolvedRun, ResolvedRunSpec, ValidRun } from './api/agent-run.js';
export type { HermesAgentObject, InputMetadata, ResolvedAgent, ResolvedAgentSpec } from './api/hermes-agent.js';
export { AGENT_KIND, ANNOTATIONS, API_VERSION, GROUP, LABELS, RUN_KIND, VERSION } from './api/identity.js';
export type { KubeManifest, ManifestMetadata } from './children/manifest.js';
export { renderAgent, type RenderOptions } from './children/render-agent.js';
export { HermesAgent, type HermesAgentMetadata, type HermesAgentProps } from './constructs/hermes-agent.js';
export { type RenderedFleet, renderFleet } from './emit/fleet.js';
export type { FleetOptions, SourcedAgent } from './emit/rendered-agent.js';
export { type Layout, LAYOUTS } from './emit/layout.js';
export { toYaml, toYamlStream } from './emit/yaml.js';
export { type FleetFile, type ReadFleet, readFleet } from './fleet/read-fleet.js';
export { formatPath, type PathSegment, type Problem, type SourcePosition } from './validation/problem.js';
export { validateAgent, type ValidationOptions } from './validation/validate-agent.js';
