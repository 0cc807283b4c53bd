import type { PolicyRule } from '../../charts/install/cluster-role.js';

/** Every right of some rules, one by one: `verb group/resource`, the core group being empty. */
export function rightsOf(rules: readonly PolicyRule[]): readonly string[] {
  return rules.flatMap(({ apiGroups, resources, verbs }) =>
    resources.flatMap((resource) => verbs.map((verb) => `${verb} ${apiGroups.join()}/${resource}`)),
  );
}

/** The same rules without some rights. */
export function rulesWithout(rules: readonly PolicyRule[], isRemoved: (right: string) => boolean): PolicyRule[] {
  return rules.flatMap((rule) =>
    rule.resources.flatMap((resource) => {
      const verbs = rule.verbs.filter((verb) => !isRemoved(`${verb} ${rule.apiGroups.join()}/${resource}`));
      return verbs.length === 0 ? [] : [{ ...rule, resources: [resource], verbs }];
    }),
  );
}

/** Rights that only a fault makes use of, each with that fault. */
export const AFTER_A_FAULT: Readonly<Record<string, string>> = {
  'get hermes-gitops.dev/hermesagents': 'a write that meets a conflict reads the agent again',
  'get hermes-gitops.dev/agentruns': 'a write that meets a conflict reads the run again',
};
