import type { ReflectorObserver } from './kube/reflector.js';
import { describeError } from './kube/errors.js';
import type { ResourceType } from './kube/resources.js';
import type { Logger } from './log.js';
import type { MetricFamilies } from './metrics/families.js';

/** Logs and counts what one watch goes through. The same failure again and again is one line. */
export function watchReporter(resource: ResourceType, families: MetricFamilies, log: Logger): ReflectorObserver {
  const name = resource.plural;
  let last = '';
  for (const cause of ['closed', 'silent', 'error', 'expired'])
    families.watchRestarts.inc({ resource: name, cause }, 0);
  for (const stage of ['list', 'watch', 'handler']) families.watchErrors.inc({ resource: name, stage }, 0);
  return {
    listed: (count) => {
      last = '';
      log.debug({ resource: name, count }, 'resource listed');
    },
    restarted: (cause) => {
      families.watchRestarts.inc({ resource: name, cause });
    },
    failed: (stage, error) => {
      families.watchErrors.inc({ resource: name, stage });
      const text = `${stage}: ${describeError(error)}`;
      if (text === last) return;
      last = text;
      log.warn({ resource: name, stage, error: describeError(error) }, 'watch failed');
    },
  };
}
