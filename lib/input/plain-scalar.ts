/**
 * kubectl, Argo CD and Flux read YAML 1.1 as Go does; this project reads YAML 1.2. A plain scalar that the two take for
 * different things has to be quoted.
 */

type Plain = string | number | boolean | null;

const GO_WORDS: Readonly<Record<string, boolean | null>> = {
  ...wordsFor(true, ['y', 'yes', 'true', 'on']),
  ...wordsFor(false, ['n', 'no', 'false', 'off']),
  ...wordsFor(null, ['null']),
  '~': null,
  '': null,
  Y: true,
  N: false,
};

const GO_FLOAT = /^[-+]?(\.\d+|\d+(\.\d*)?)([eE][-+]?\d+)?$/;
const INTEGER = /^[-+]?(0x[0-9a-fA-F]+|0o[0-7]+|\d+)$/;

function wordsFor<T>(value: T, words: readonly string[]): Record<string, T> {
  const spellings = words.flatMap((word) =>
    word.length === 1 ? [word] : [word, `${word.charAt(0).toUpperCase()}${word.slice(1)}`, word.toUpperCase()],
  );
  return Object.fromEntries(spellings.map((word) => [word, value]));
}

/** What the YAML 1.1 reader of Go takes the plain scalar `source` for. */
export function readAsGo(source: string): Plain {
  if (Object.hasOwn(GO_WORDS, source)) return GO_WORDS[source] ?? null;
  if (source.startsWith('.')) return GO_FLOAT.test(source) ? Number(source) : source;
  if (!/^[-+\d]/.test(source)) return source;
  const digits = source.replaceAll('_', '');
  return goInteger(digits) ?? (GO_FLOAT.test(digits) ? Number(digits) : source);
}

function goInteger(text: string): number | undefined {
  const match = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|([1-9]\d*|0))$/.exec(text);
  if (match === null) return undefined;
  const [, sign, hex, binary, octal, decimal] = match;
  const value =
    hex !== undefined
      ? parseInt(hex, 16)
      : binary !== undefined
        ? parseInt(binary, 2)
        : octal !== undefined
          ? parseInt(octal, 8)
          : Number(decimal);
  return sign === '-' ? -value : value;
}

/** What is wrong with a plain scalar that reads as `value` here, or undefined when every reader agrees on it. */
export function plainScalarTrouble(source: string, value: Plain): string | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) return `${source} is no number that JSON can hold`;
  if (typeof value === 'number' && INTEGER.test(source) && !Number.isSafeInteger(value)) {
    return `${source} is beyond the integers that every reader keeps exactly`;
  }
  const go = readAsGo(source);
  // -0 and 0 are one number in JSON.
  if (go === value || (typeof go === 'number' && typeof value === 'number' && go - value === 0)) return undefined;
  return `${source} is read as ${describe(value)} by YAML 1.2 and as ${describe(go)} by kubectl, Argo CD and Flux`;
}

function describe(value: Plain): string {
  if (value === null) return 'null';
  return typeof value === 'string' ? 'a string' : `the ${typeof value} ${value}`;
}
