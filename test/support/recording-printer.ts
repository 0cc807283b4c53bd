import type { Printer } from '../../cli/report.js';

/** What a verb has printed, a text a call. */
export interface Printed {
  readonly out: string[];
  readonly err: string[];
}

/** A printer that keeps what it is given. */
export function recordingPrinter(): Printed & { readonly printer: Printer } {
  const out: string[] = [];
  const err: string[] = [];
  return { out, err, printer: { out: (text) => out.push(text), err: (text) => err.push(text) } };
}
