/**
 * Kubernetes quantities: parsed and printed as `resource.Quantity` does, so that what is rendered is what the API server
 * would print. https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
 */

type Format = 'binary' | 'decimal' | 'exponent';

/** A parsed quantity. Kubernetes knows nothing finer than a nano, so whole nanos hold every value exactly. */
export interface Quantity {
  readonly nanos: bigint;
  /** The family of suffixes that it was written with, and is printed with where that loses nothing. */
  readonly format: Format;
}

const SYNTAX = /^([+-]?)(?:(\d+)(?:\.(\d*))?|\.(\d+))(|[KMGTPE]i|[numkMGTPE]|[eE][+-]?\d+)$/;
const NANO = 1_000_000_000n;
const MILLI = 1_000_000n;
const MAX_BINARY = ((1n << 63n) - 1n) * NANO;
/** Far beyond every real amount; without a bound `1e999999999` would build a number that fills the memory. */
const MAX_EXPONENT = 1000;

const DECIMAL_SUFFIXES = ['n', 'u', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E'];
const BINARY_SUFFIXES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** The quantity that `text` writes, or undefined when it writes none. */
export function parseQuantity(text: string): Quantity | undefined {
  const match = SYNTAX.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = '', fraction = match[4] ?? '', , suffix = ''] = match;
  const scale = scaleOf(suffix);
  if (scale === undefined) return undefined;
  const digits = BigInt(whole + fraction);
  const exponent = scale.exponent + 9 - fraction.length;
  let nanos = digits * scale.factor;
  nanos = exponent >= 0 ? nanos * 10n ** BigInt(exponent) : divideUp(nanos, 10n ** BigInt(-exponent));
  if (scale.format === 'binary' && nanos > MAX_BINARY) nanos = MAX_BINARY;
  return { nanos: sign === '-' ? -nanos : nanos, format: scale.format };
}

/** Prints `quantity` in the one form that Kubernetes prints it in. */
export function formatQuantity(quantity: Quantity): string {
  const { nanos, format } = quantity;
  if (nanos === 0n) return '0';
  if (nanos < 0n) return `-${formatQuantity({ nanos: -nanos, format })}`;
  // Below 1024, or with a fraction, a binary suffix would lose precision or confuse.
  if (format === 'binary' && nanos >= 1024n * NANO && nanos % NANO === 0n) return formatBinary(nanos / NANO);
  return formatDecimal(nanos, format === 'exponent');
}

/** `text` in canonical form, or undefined when it is no quantity: `0.5` is `500m`, `1024Mi` is `1Gi`. */
export function canonicalQuantity(text: string | number): string | undefined {
  const quantity = parseQuantity(String(text));
  return quantity && formatQuantity(quantity);
}

/** {@link canonicalQuantity} of a resource request or limit, which Kubernetes rounds up to whole thousandths. */
export function canonicalResourceAmount(text: string | number): string | undefined {
  const quantity = parseQuantity(String(text));
  if (quantity === undefined) return undefined;
  const negative = quantity.nanos < 0n;
  const rounded = divideUp(negative ? -quantity.nanos : quantity.nanos, MILLI) * MILLI;
  return formatQuantity({ ...quantity, nanos: negative ? -rounded : rounded });
}

/** Negative when `a` is less than `b`, positive when it is more, 0 when both are one amount, NaN when one is no quantity. */
export function compareQuantities(a: string | number, b: string | number): number {
  const [first, second] = [parseQuantity(String(a)), parseQuantity(String(b))];
  if (first === undefined || second === undefined) return NaN;
  if (first.nanos === second.nanos) return 0;
  return first.nanos < second.nanos ? -1 : 1;
}

function scaleOf(suffix: string): { factor: bigint; exponent: number; format: Format } | undefined {
  const binary = BINARY_SUFFIXES.indexOf(suffix, 1);
  if (binary > 0) return { factor: 1n << BigInt(10 * binary), exponent: 0, format: 'binary' };
  const decimal = DECIMAL_SUFFIXES.indexOf(suffix);
  if (decimal >= 0) return { factor: 1n, exponent: 3 * (decimal - 3), format: 'decimal' };
  const exponent = Number(suffix.slice(1));
  return Math.abs(exponent) > MAX_EXPONENT ? undefined : { factor: 1n, exponent, format: 'exponent' };
}

function divideUp(value: bigint, divisor: bigint): bigint {
  return (value + divisor - 1n) / divisor;
}

function formatBinary(value: bigint): string {
  let rest = value;
  let power = 0;
  while (rest % 1024n === 0n && power < BINARY_SUFFIXES.length - 1) {
    rest /= 1024n;
    power++;
  }
  return `${rest}${BINARY_SUFFIXES[power] ?? ''}`;
}

function formatDecimal(nanos: bigint, asExponent: boolean): string {
  let rest = nanos;
  let thousands = 0;
  while (rest % 1000n === 0n && (asExponent || thousands < DECIMAL_SUFFIXES.length - 1)) {
    rest /= 1000n;
    thousands++;
  }
  if (!asExponent) return `${rest}${DECIMAL_SUFFIXES[thousands] ?? ''}`;
  const exponent = 3 * thousands - 9;
  return exponent === 0 ? String(rest) : `${rest}e${exponent}`;
}
