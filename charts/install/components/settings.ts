import { CONTROLLER_CONTAINER } from '../deployment.js';
import { CONTROLLER, LISTS, SETTINGS } from '../names.js';
import type { Replacement } from './component.js';

/**
 * Takes a list over from the ConfigMap {@link SETTINGS} of the user's kustomization: to the variable that the
 * controller's flag reads, and to further places.
 */
export function listReplacement(key: keyof typeof LISTS, further: Replacement['targets'] = []): Replacement {
  const { variable } = LISTS[key];
  return {
    source: { kind: 'ConfigMap', name: SETTINGS, fieldPath: `data.${key}` },
    targets: [
      {
        select: { kind: 'Deployment', name: CONTROLLER },
        fieldPaths: [`spec.template.spec.containers.[name=${CONTROLLER_CONTAINER}].env.[name=${variable}].value`],
        // An empty list has no value to replace.
        options: { create: true },
      },
      ...further,
    ],
  };
}
