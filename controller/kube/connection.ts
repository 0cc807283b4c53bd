import { readFileSync } from 'node:fs';
import type { Agent } from 'node:http';
import type { RequestOptions } from 'node:https';
import { isIPv6 } from 'node:net';

/** What a request needs to be let in. Read again from time to time, because tokens and certificates rotate. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly tls: TlsOptions;
  /** Only when the kubeconfig names a proxy. */
  readonly proxyAgent?: Agent;
}

/** The TLS half of {@link Credentials}. */
export type TlsOptions = Pick<
  RequestOptions,
  'ca' | 'cert' | 'key' | 'passphrase' | 'rejectUnauthorized' | 'servername'
>;

/** Where the API server is and how to be let in. */
export interface Connection {
  readonly server: URL;
  /** Reads files and runs credential plugins again, so call it seldom. */
  credentials(): Promise<Credentials>;
}

const SERVICE_ACCOUNT_ROOT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The pod's own namespace, when the process runs in a pod. */
export function inClusterNamespace(root: string = SERVICE_ACCOUNT_ROOT): string | undefined {
  try {
    return readFileSync(`${root}/namespace`, 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** The connection of a pod, by its mounted service account. The kubelet replaces the token file about every hour. */
export function inClusterConnection(
  environment: { readonly host: string; readonly port: string },
  root: string = SERVICE_ACCOUNT_ROOT,
): Connection {
  const host = isIPv6(environment.host) ? `[${environment.host}]` : environment.host;
  return {
    server: new URL(`https://${host}:${environment.port}`),
    credentials: () =>
      Promise.resolve({
        headers: { authorization: `Bearer ${readFileSync(`${root}/token`, 'utf8').trim()}` },
        tls: { ca: readFileSync(`${root}/ca.crt`) },
      }),
  };
}
