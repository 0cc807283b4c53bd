import type { RequestOptions } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node';
import type { Connection, Credentials, TlsOptions } from './connection.js';

/** The connection of a kubeconfig file; without a path the one that kubectl would take. */
export function kubeconfigConnection(path?: string, context?: string): Connection {
  const config = new KubeConfig();
  if (path === undefined) config.loadFromDefault();
  else config.loadFromFile(path);
  if (context !== undefined) {
    if (config.getContextObject(context) === null) throw new Error(`kubeconfig has no context "${context}"`);
    config.setCurrentContext(context);
  }
  const cluster = config.getCurrentCluster();
  if (cluster === null) throw new Error('kubeconfig has no current cluster');
  return {
    server: new URL(cluster.server),
    credentials: async () => {
      const options: RequestOptions = {};
      await config.applyToHTTPSOptions(options);
      return toCredentials(options, cluster.proxyUrl !== undefined);
    },
  };
}

/** The namespace that kubectl would take with these: that of the context, else `default`. */
export function kubeconfigNamespace(path?: string, context?: string): string {
  const config = new KubeConfig();
  if (path === undefined) config.loadFromDefault();
  else config.loadFromFile(path);
  return config.getContextObject(context ?? config.getCurrentContext())?.namespace ?? 'default';
}

function toCredentials(options: RequestOptions, isProxied: boolean): Credentials {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    if (typeof value === 'string') headers[name.toLowerCase()] = value;
  }
  if (typeof options.auth === 'string') {
    headers['authorization'] = `Basic ${Buffer.from(options.auth).toString('base64')}`;
  }
  const { ca, cert, key, passphrase, rejectUnauthorized, servername } = options;
  const tls = Object.fromEntries(
    Object.entries({ ca, cert, key, passphrase, rejectUnauthorized, servername }).filter(([, value]) => value != null),
  ) as TlsOptions;
  const proxyAgent = isProxied && typeof options.agent === 'object' ? options.agent : undefined;
  return { headers, tls, ...(proxyAgent === undefined ? {} : { proxyAgent }) };
}
