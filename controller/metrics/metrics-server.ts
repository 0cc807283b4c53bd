import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Registry } from 'prom-client';
import type { BindAddress } from '../http/bind-address.js';
import { serve, type ListeningServer, type PlainAnswer, type Routes } from '../http/server.js';
import type { KubeApi } from '../kube/client.js';
import { scrapeAccess, type Access } from './scrape-access.js';
import { selfSignedCertificate, type KeyAndCertificate } from './self-signed.js';

export interface MetricsServerOptions {
  readonly address: BindAddress;
  readonly registry: Registry;
  /** Brings up to date what is only worth measuring when somebody looks. */
  readonly beforeScrape: () => void;
  /** TLS, and only for those whom the API server lets read `/metrics`. */
  readonly secure?: { readonly api: KubeApi; readonly certDir?: string };
}

const REFUSALS: Readonly<Record<Exclude<Access, 'allowed'>, PlainAnswer>> = {
  unauthenticated: { status: 401, body: 'a bearer token is needed\n' },
  forbidden: { status: 403, body: 'the bearer of this token may not get /metrics\n' },
  unknown: { status: 503, body: 'the API server cannot say who you are\n' },
};

const CERTIFICATE_CHECK_MS = 60_000;

/** Serves `/metrics`. */
export async function serveMetrics(options: MetricsServerOptions): Promise<ListeningServer> {
  const { address, registry, beforeScrape, secure } = options;
  const page = async (): Promise<PlainAnswer> => {
    beforeScrape();
    return { status: 200, contentType: registry.contentType, body: await registry.metrics() };
  };
  if (secure === undefined) return serve(address, { '/metrics': page });
  const mayScrape = scrapeAccess(secure.api);
  const routes: Routes = {
    '/metrics': async (request) => {
      const access = await mayScrape(request.headers.authorization, '/metrics');
      return access === 'allowed' ? page() : REFUSALS[access];
    },
  };
  if (secure.certDir === undefined) {
    return serve(address, routes, { ...selfSignedCertificate('hermes-gitops-metrics', new Date()) });
  }
  return serveWithFiles(address, routes, secure.certDir);
}

/** A certificate from files, which whoever issues it replaces before it expires. */
async function serveWithFiles(address: BindAddress, routes: Routes, certDir: string): Promise<ListeningServer> {
  const server = await serve(address, routes, { ...readCertificate(certDir) });
  let version = versionOf(certDir);
  const timer = setInterval(() => {
    try {
      const current = versionOf(certDir);
      if (current === version) return;
      server.setTls(readCertificate(certDir));
      version = current;
    } catch {
      // In the middle of a replacement; the old one serves until the next look.
    }
  }, CERTIFICATE_CHECK_MS);
  return {
    port: server.port,
    close: () => {
      clearInterval(timer);
      return server.close();
    },
  };
}

function readCertificate(certDir: string): KeyAndCertificate {
  return {
    key: readFileSync(join(certDir, 'tls.key'), 'utf8'),
    cert: readFileSync(join(certDir, 'tls.crt'), 'utf8'),
  };
}

function versionOf(certDir: string): string {
  return ['tls.key', 'tls.crt'].map((file) => statSync(join(certDir, file)).mtimeMs).join('/');
}
