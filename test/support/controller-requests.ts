import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { CONTROLLER_USERNAME } from '../../charts/install/names.js';

/** One request of the controller's account, as the API server's audit log tells it. */
export interface ControllerRequest {
  /** `verb group/resource`, as rules grant it; undefined resources, such as `/version`, are their path. */
  readonly right: string;
  readonly path: string;
  readonly verb: string;
  readonly resource: string;
  readonly statusCode: number;
  /** RBAC said no. A policy, a quota or a namespace on its way out say so in another way. */
  readonly isForbidden: boolean;
}

interface AuditLine {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly requestURI: string;
  readonly objectRef?: { readonly apiGroup?: string; readonly resource: string; readonly subresource?: string };
  readonly responseStatus?: { readonly code?: number };
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Where the log ends now, to read on from. */
export function auditEnd(auditLog: string): number {
  return existsSync(auditLog) ? statSync(auditLog).size : 0;
}

/** What the controller's account has asked for since that place in the log, in order. */
export function controllerRequests(auditLog: string, since = 0): readonly ControllerRequest[] {
  return readFrom(auditLog, since)
    .split('\n')
    .filter((line) => line.includes(CONTROLLER_USERNAME) && line.endsWith('}'))
    .map((line) => JSON.parse(line) as AuditLine)
    .filter(({ user }) => user.username === CONTROLLER_USERNAME)
    .map(toRequest);
}

function toRequest({ verb, objectRef, requestURI, responseStatus, annotations }: AuditLine): ControllerRequest {
  const { apiGroup = '', resource = '', subresource } = objectRef ?? {};
  const path = requestURI.replace(/\?.*/s, '');
  const named = `${apiGroup}/${resource}${subresource === undefined ? '' : `/${subresource}`}`;
  return {
    right: `${verb} ${objectRef === undefined ? path : named}`,
    path,
    verb,
    resource,
    statusCode: responseStatus?.code ?? 0,
    isForbidden: annotations?.['authorization.k8s.io/decision'] === 'forbid',
  };
}

function readFrom(path: string, since: number): string {
  const bytes = Buffer.alloc(Math.max(0, auditEnd(path) - since));
  if (bytes.length === 0) return '';
  const file = openSync(path, 'r');
  try {
    readSync(file, bytes, 0, bytes.length, since);
  } finally {
    closeSync(file);
  }
  return bytes.toString('utf8');
}
