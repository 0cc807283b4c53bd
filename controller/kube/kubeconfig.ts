import { existsSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { delimiter } from 'node:path';
import { KubeConfig } from '@kubernetes/client-node';
import type { Connection, Credentials, TlsOptions } from './connection.js';

/** The connection of a kubeconfig file; without a path the one that kubectl would take. */
export function kubeconfigConnection(path?: string, context?: string): Connection {
  const config = load(path);
  if (context !== undefined) {
    if (config.getContextObject(context) === null) throw new Error(`kubeconfig has no context "${context}"`);
    config.setCurrentContext(context);
  }
  const cluster = config.getCurrentCluster();
  if (cluster === null) throw new Error('kubeconfig has no current cluster');
  if (!URL.canParse(cluster.server)) throw new Error(`the server of cluster "${cluster.name}" is no URL`);
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
  const config = load(path);
  return config.getContextObject(context ?? config.getCurrentContext())?.namespace ?? 'default';
}

function load(path: string | undefined): KubeConfig {
  if (path !== undefined) return loadFile(path);
  const listed = (process.env['KUBECONFIG'] ?? '').split(delimiter).filter((file) => file !== '');
  if (listed.length > 0) return merged(listed);
  const config = new KubeConfig();
  config.loadFromDefault();
  // What the library makes up when it finds nothing.
  if (config.getCurrentCluster()?.server === 'http://localhost:8080' && config.getCurrentContext() === 'loaded-context')
    throw new Error('there is none; set KUBECONFIG, or name one with --kubeconfig');
  return config;
}

/** Of each name the first file wins, and files that are not there do not count: with the library the last context would win. */
function merged(paths: readonly string[]): KubeConfig {
  const present = paths.filter((path) => existsSync(path)).map(loadFile);
  if (present.length === 0) throw new Error(`no such file: ${paths.join(', ')}`);
  const config = new KubeConfig();
  config.loadFromOptions({
    clusters: firstOfEach(present.flatMap(({ clusters }) => clusters)),
    users: firstOfEach(present.flatMap(({ users }) => users)),
    contexts: firstOfEach(present.flatMap(({ contexts }) => contexts)),
    currentContext: present.map((file) => file.getCurrentContext()).find((name) => name) ?? '',
  });
  return config;
}

function firstOfEach<T extends { readonly name: string }>(entries: readonly T[]): T[] {
  const byName = new Map<string, T>();
  for (const entry of entries) if (!byName.has(entry.name)) byName.set(entry.name, entry);
  return [...byName.values()];
}

function loadFile(path: string): KubeConfig {
  const config = new KubeConfig();
  try {
    config.loadFromFile(path);
  } catch (cause) {
    // An empty file is read as undefined.
    if (cause instanceof TypeError) throw new Error(`${path} is no kubeconfig`, { cause });
    throw cause;
  }
  return config;
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
