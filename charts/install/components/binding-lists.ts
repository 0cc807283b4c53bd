import { BINDING_LISTS_POLICY, LIST_VARIABLES } from '../policies/binding-lists.js';
import type { Component, Replacement } from './component.js';
import { listReplacement } from './settings.js';

const binding = (key: keyof typeof LIST_VARIABLES): Replacement =>
  listReplacement(key, [
    {
      select: { kind: 'ValidatingAdmissionPolicy', name: BINDING_LISTS_POLICY },
      fieldPaths: [`spec.variables.[name=${LIST_VARIABLES[key]}].expression`],
      // The text between the first two quotes.
      options: { delimiter: "'", index: 1 },
    },
  ]);

/** Sets what agents may be bound to, and where, for the controller and the admission policy at once. */
export const bindingListsComponent: Component = {
  name: 'binding-lists',
  replacements: [binding('allowedClusterRoles'), binding('allowedBindingNamespaces')],
};
