import type { Group } from './campaign.js';
import { agentOf, mutantsOf } from './mutants.js';
import { siteName, specSites } from './schema-sites.js';

/** Drawn beside those that are always tried. */
const DRAWS = 2;

/** One group of agents for every field path of the schema. */
export function fieldGroups(): readonly Group[] {
  return specSites().map((site, index) => {
    const { always, any } = mutantsOf(site, index);
    return {
      name: siteName(site.path),
      always: always.map(agentOf),
      any: any.map(agentOf),
      draws: DRAWS,
    };
  });
}
