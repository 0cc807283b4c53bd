import { readFileSync } from 'node:fs';

interface AuditLine {
  readonly verb: string;
  readonly user: { readonly username: string };
  readonly objectRef?: { readonly resource: string; readonly namespace?: string; readonly subresource?: string };
  readonly responseStatus?: { readonly code?: number };
}

const JOB_CONTROLLER = 'system:serviceaccount:kube-system:job-controller';

/**
 * How many pods the API server has ever created for the Jobs of a namespace, by its audit log: none is missed however
 * short it lived.
 */
export function podsCreatedForJobs(auditLog: string, namespace: string): number {
  return readFileSync(auditLog, 'utf8')
    .split('\n')
    .filter((line) => line.includes(JOB_CONTROLLER) && line.includes('"pods"') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as AuditLine)
    .filter(({ verb, user, objectRef, responseStatus }) => {
      const isOfPods = objectRef?.resource === 'pods' && objectRef.subresource === undefined;
      const isCreated = verb === 'create' && responseStatus?.code === 201;
      return user.username === JOB_CONTROLLER && isCreated && isOfPods && objectRef.namespace === namespace;
    }).length;
}
