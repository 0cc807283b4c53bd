import type { Group } from './campaign.js';
import { CONTAINER_COMBINATIONS } from './container-combinations.js';
import { POD_COMBINATIONS } from './pod-combinations.js';
import { plainAgent } from './rule-groups.js';

const DRAWS = 40;

/** One group of agents for each part of Kubernetes that asks for more than its schema says. */
export function nativeGroups(): readonly Group[] {
  return Object.entries({ ...CONTAINER_COMBINATIONS, ...POD_COMBINATIONS }).map(([name, specs]) => ({
    name: `native: ${name}`,
    always: [],
    any: specs.map((spec) => plainAgent(spec)),
    draws: DRAWS,
  }));
}
