/** What the guardian is asked, one JSON object a line. */
export type GuardianRequest =
  | {
      readonly kind: 'start';
      /** Unique among the running processes of the bed. */
      readonly name: string;
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      /** File that standard output and error are appended to. */
      readonly log: string;
    }
  | { readonly kind: 'signal'; readonly name: string; readonly signal: NodeJS.Signals };

/** What the guardian says, one JSON object a line. */
export type GuardianMessage =
  | { readonly kind: 'started'; readonly name: string; readonly pid: number }
  | { readonly kind: 'exited'; readonly name: string; readonly reason: string };
