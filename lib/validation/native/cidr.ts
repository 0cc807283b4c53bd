import { isIPv4, isIPv6 } from 'node:net';

/** A network as Kubernetes reads it, or what is wrong with its text. */
export type CidrOrTrouble = Cidr | { readonly trouble: string; readonly hint: string };

const MAPPED = /^::ffff:\d/i;

/** Reads `address/length`. Bits beyond the length have to be 0, because readers disagree about what they mean. */
export function parseCidr(text: string): CidrOrTrouble {
  const [address = '', length = '', ...rest] = text.split('/');
  const width = addressWidth(address);
  const prefix = /^(0|[1-9]\d*)$/.test(length) ? Number(length) : NaN;
  if (width === 0 || rest.length > 0 || !(prefix <= width)) {
    return {
      trouble: `${JSON.stringify(text)} is no network`,
      hint: 'write an address and a length, for example 10.0.0.0/8',
    };
  }
  const bits = width === 32 ? ipv4Bits(address) : ipv6Bits(address);
  const hostBits = BigInt(width - prefix);
  const base = (bits >> hostBits) << hostBits;
  if (base !== bits) {
    const hint = width === 32 ? `write ${ipv4Text(base)}/${prefix}` : 'set the bits beyond the length to 0';
    return { trouble: `${text} has bits set beyond its length`, hint };
  }
  return new Cidr(width, prefix, bits);
}

/** Whether `text` is an address that Kubernetes takes. */
export function isAddress(text: string): boolean {
  return addressWidth(text) > 0;
}

/** Bits of an address; 0 when it is none that Kubernetes takes. */
function addressWidth(address: string): number {
  if (isIPv4(address)) return 32;
  return isIPv6(address) && !address.includes('%') && !MAPPED.test(address) ? 128 : 0;
}

/** An IPv4 or IPv6 network. */
export class Cidr {
  readonly width: number;
  readonly prefix: number;
  readonly bits: bigint;

  constructor(width: number, prefix: number, bits: bigint) {
    this.width = width;
    this.prefix = prefix;
    this.bits = bits;
  }

  /** Whether `inner` is a part of this network and not the whole of it. */
  strictlyContains(inner: Cidr): boolean {
    const hostBits = BigInt(this.width - this.prefix);
    return inner.width === this.width && inner.prefix > this.prefix && inner.bits >> hostBits === this.bits >> hostBits;
  }
}

function ipv4Bits(address: string): bigint {
  return address.split('.').reduce((sum, part) => (sum << 8n) + BigInt(part), 0n);
}

function ipv4Text(bits: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => String((bits >> shift) & 255n)).join('.');
}

function ipv6Bits(address: string): bigint {
  const [head = '', tail] = address.replace(/[\d.]+$/, groupsOfIpv4).split('::');
  const [first, last] = [groups(head), groups(tail ?? '')];
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => '0');
  return [...first, ...zeros, ...last].reduce((sum, group) => (sum << 16n) + BigInt(`0x${group}`), 0n);
}

function groups(text: string): readonly string[] {
  return text === '' ? [] : text.split(':');
}

/** The last 32 bits may be written as an IPv4 address. */
function groupsOfIpv4(text: string): string {
  if (!text.includes('.')) return text;
  const bits = ipv4Bits(text);
  return `${(bits >> 16n).toString(16)}:${(bits & 0xffffn).toString(16)}`;
}
