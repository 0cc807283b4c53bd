import fc from 'fast-check';

import type { PathSegment } from '../../../lib/validation/problem.js';
import { agentAround, narrowed, placesFor, type BaseAgent, type Place } from './bases.js';
import type { SchemaSite } from './schema-sites.js';
import { ABSENT, valueAt, withValue } from './tree.js';
import { fittingValues, generatedValues, unfittingValues, type Replacement } from './values.js';

/** An agent that was changed in one place. */
export interface Mutant {
  readonly path: readonly PathSegment[];
  readonly replacement: Replacement;
  /** Fields of the spec that stand beside the changed one. */
  readonly company: readonly string[];
  readonly place: Place;
}

/** Mutants of one path of the schema: some that are always tried, and all that may be tried beside them. */
export interface MutantsOfSite {
  readonly always: readonly Mutant[];
  readonly any: fc.Arbitrary<Mutant>;
}

/** Always tried at one place, a little more of them good than bad. */
const ALWAYS = 10;
const FITTING = 6;

/** How a path of the schema can be mutated. `turn` chooses among the many, so that paths of one kind differ. */
export function mutantsOf(site: SchemaSite, turn: number): MutantsOfSite {
  const places = placesFor(site.path).map(narrowed);
  const place = places[turn % Math.max(places.length, 1)];
  if (place === undefined) throw new Error(`no agent has a value at ${site.path.join('.')}`);
  const value = valueAt(place.base, place.path);
  const isItem = typeof place.path.at(-1) === 'number';
  const fitting = chosen(fittingValues(value, site.schema), turn);
  const unfitting = chosen(unfittingValues(value, site.schema), turn);
  const mixed = [...fitting.slice(0, FITTING), ...unfitting, ...fitting.slice(FITTING)];
  const always = distinct(mixed)
    .filter((replacement) => !(isItem && replacement === ABSENT))
    .slice(0, ALWAYS);
  const other = Object.keys(place.base.spec).filter((field) => field !== 'storage');
  return {
    always: always.map((replacement) => ({ path: place.path, replacement, company: [], place })),
    any: fc
      .record({
        place: fc.constantFrom(...places),
        company: fc.oneof(
          { weight: 4, arbitrary: fc.constant([]) },
          { weight: 1, arbitrary: fc.subarray(other, { maxLength: Math.min(other.length, 4) }) },
        ),
      })
      .chain(({ place: at, company }) =>
        generatedValues(valueAt(at.base, at.path), site.schema).map((replacement) => ({
          path: at.path,
          replacement,
          company,
          place: at,
        })),
      ),
  };
}

/** The agent of a mutant. */
export function agentOf({ place, path, replacement, company }: Mutant): BaseAgent {
  return withValue(agentAround(place, company), path, replacement) as BaseAgent;
}

/** The values without repeats, beginning with another one for each turn. */
function chosen(values: readonly Replacement[], turn: number): readonly Replacement[] {
  const all = distinct(values);
  const start = (turn * ALWAYS) % Math.max(all.length, 1);
  return [...all.slice(start), ...all.slice(0, start)];
}

function distinct(values: readonly Replacement[]): readonly Replacement[] {
  return [...new Map(values.map((value) => [keyOf(value), value])).values()];
}

function keyOf(value: unknown): string {
  return value === ABSENT ? 'absent' : JSON.stringify(value);
}
