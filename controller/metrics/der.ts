/** The few ASN.1 values of a certificate, in DER. */

const tlv = (tag: number, content: Buffer): Buffer => Buffer.concat([Buffer.from([tag]), lengthOf(content), content]);

function lengthOf(content: Buffer): Buffer {
  if (content.length < 0x80) return Buffer.from([content.length]);
  const bytes = Buffer.from(content.length.toString(16).padStart(content.length > 0xff ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
}

/** SEQUENCE. */
export function sequence(...parts: readonly Buffer[]): Buffer {
  return tlv(0x30, Buffer.concat(parts));
}

/** SET of one. */
export function setOf(part: Buffer): Buffer {
  return tlv(0x31, part);
}

/** Positive INTEGER. */
export function integer(bytes: Buffer): Buffer {
  const isNegative = ((bytes[0] ?? 0) & 0x80) !== 0;
  return tlv(0x02, isNegative ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}

/** OBJECT IDENTIFIER, from its dotted form. */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = [first * 40 + second, ...rest.flatMap(base128)];
  return tlv(0x06, Buffer.from(bytes));
}

function base128(value: number): readonly number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >> 7; rest > 0; rest >>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}

/** UTF8String. */
export function utf8String(text: string): Buffer {
  return tlv(0x0c, Buffer.from(text, 'utf8'));
}

/** GeneralizedTime. */
export function generalizedTime(date: Date): Buffer {
  return tlv(0x18, Buffer.from(date.toISOString().replace(/[-:T]|\.\d+/g, ''), 'ascii'));
}

/** BIT STRING of whole bytes. */
export function bitString(bytes: Buffer): Buffer {
  return tlv(0x03, Buffer.concat([Buffer.from([0]), bytes]));
}

/** OCTET STRING. */
export function octetString(bytes: Buffer): Buffer {
  return tlv(0x04, bytes);
}

/** A context-specific tag around its content; `isPlain` for one that replaces a primitive's own tag. */
export function context(number: number, content: Buffer, isPlain = false): Buffer {
  return tlv((isPlain ? 0x80 : 0xa0) | number, content);
}
