import { dnsLabelTrouble } from '../name-syntax.js';
import type { AgentCheck } from './agent-check.js';

/** What the platform sets, which a program may pass along in any shape: a text has an `includes`, too, and parts of it pass. */
export const settingsCheck: AgentCheck = {
  reads: [],
  check: ({ settings }, report) => {
    for (const name of ['allowedClusterRoles', 'allowedBindingNamespaces'] as const) {
      const names: unknown = settings[name];
      if (Array.isArray(names) && names.every((item) => typeof item === 'string')) continue;
      report.error([name], { rule: 'BadSetting', message: 'has to be a list of names', hint: "write ['a', 'b']" });
    }
    const namespace: unknown = settings.controllerNamespace ?? '';
    const trouble = typeof namespace === 'string' ? dnsLabelTrouble(namespace) : 'has to be a string';
    if (namespace === '' || trouble === undefined) return;
    report.error(['controllerNamespace'], {
      rule: 'BadSetting',
      message: trouble,
      hint: 'write the name of a namespace',
    });
  },
};
