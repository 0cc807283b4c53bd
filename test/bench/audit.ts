import { readFile } from 'node:fs/promises';

interface AuditEvent {
  readonly verb: string;
  readonly userAgent?: string;
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number };
}

/** Status writes of the controller by object (`<namespace>/<name>`), from the API server's audit log. */
export async function statusWrites(
  auditLog: string,
  resource: 'hermesagents' | 'agentruns' = 'hermesagents',
): Promise<ReadonlyMap<string, number>> {
  const writes = new Map<string, number>();
  for (const line of (await readFile(auditLog, 'utf8')).split('\n')) {
    if (!line.includes(`"${resource}"`) || !line.includes('"status"')) continue;
    const { verb, userAgent, objectRef, responseStatus } = JSON.parse(line) as AuditEvent;
    const isOurs = userAgent?.startsWith('hermes-gitops-controller') === true;
    if (!isOurs || verb !== 'patch' || objectRef?.subresource !== 'status' || responseStatus?.code !== 200) continue;
    const key = `${objectRef.namespace ?? ''}/${objectRef.name ?? ''}`;
    writes.set(key, (writes.get(key) ?? 0) + 1);
  }
  return writes;
}

/** Every request of the controller, in order. */
export async function requestsOf(
  auditLog: string,
): Promise<readonly { readonly verb: string; readonly resource: string }[]> {
  return (await readFile(auditLog, 'utf8'))
    .split('\n')
    .filter((line) => line.includes('hermes-gitops-controller') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as AuditEvent)
    .filter(({ userAgent }) => userAgent?.startsWith('hermes-gitops-controller') === true)
    .map(({ verb, objectRef }) => ({ verb, resource: objectRef?.resource ?? '' }));
}
