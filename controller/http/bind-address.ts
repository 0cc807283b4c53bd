/** Where a server listens; without a host on every interface. */
export interface BindAddress {
  readonly host?: string;
  readonly port: number;
}

/** Reads `:8443`, `127.0.0.1:8443` or `[::1]:8443`; `0` turns the server off and gives undefined. */
export function parseBindAddress(text: string): BindAddress | undefined {
  if (text === '0') return undefined;
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535)
    throw new Error(`"${text}" is no address: write host:port, :port, or 0 for none`);
  const host = match[1] ?? match[2] ?? '';
  return host === '' ? { port } : { host, port };
}
