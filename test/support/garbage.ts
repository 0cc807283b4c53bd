import fc from 'fast-check';

/** The steps from a value to a part of it. */
export type Path = readonly (string | number)[];

/** Every place in a plain value, itself included. Maps and Sets are the controller's own and stay whole. */
export function places(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null || value instanceof Map || value instanceof Set) return [path];
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [path, ...entries.flatMap(([key, part]) => places(part, [...path, key]))];
}

/** The value with another part in that place. */
export function replaced(value: unknown, [step, ...rest]: Path, by: unknown): unknown {
  if (step === undefined) return by;
  if (Array.isArray(value))
    return value.map((item: unknown, index) => (index === step ? replaced(item, rest, by) : item));
  const map = value as Readonly<Record<string, unknown>>;
  return { ...map, [step]: replaced(map[step], rest, by) };
}

/** What nobody expects in any place. */
export const GARBAGE: readonly unknown[] = [null, [], [null], {}, { a: 1 }, 7, -1, '', 'text', true, [{ type: null }]];

/** What is in a place; undefined where there is no such place. */
export function at(value: unknown, path: Path): unknown {
  let here = value;
  for (const step of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, step)) return undefined;
    here = (here as Readonly<Record<string | number, unknown>>)[step];
  }
  return here;
}

/** The value with up to eight of these places holding anything. */
export function garbled(value: unknown, paths: readonly Path[]): fc.Arbitrary<unknown> {
  const change = fc.tuple(
    fc.constantFrom(...paths),
    fc.oneof(fc.constantFrom(...GARBAGE), fc.jsonValue({ maxDepth: 2 })),
  );
  return fc.array(change, { minLength: 1, maxLength: 8 }).map((changes) =>
    changes.reduce<unknown>((current, [path, by]) => {
      // An earlier change may have taken the place away.
      return at(current, path) !== undefined ? replaced(current, path, by) : current;
    }, value),
  );
}
