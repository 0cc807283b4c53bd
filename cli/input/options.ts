import type { RenderOptions } from '../../lib/children/render-agent.js';
import type { ValidationOptions } from '../../lib/validation/validate-agent.js';
import type { Format } from '../report.js';

/** Arguments that say how inputs are read and judged; the same for every verb that reads them. */
export interface InputOptions {
  readonly inputs: readonly string[];
  readonly namespace?: string;
  readonly allowedClusterRoles: readonly string[];
  readonly allowedBindingNamespaces: readonly string[];
  readonly flux: boolean;
  readonly controllerNamespace: string;
  readonly format: Format;
}

/** The part of the arguments that the validation needs. */
export function validationOptions(options: InputOptions): ValidationOptions {
  return {
    allowedClusterRoles: options.allowedClusterRoles,
    allowedBindingNamespaces: options.allowedBindingNamespaces,
    ...renderOptions(options),
    ...(options.namespace !== undefined && { defaultNamespace: options.namespace }),
  };
}

/** The part of the arguments that the rendering needs. */
export function renderOptions({ flux, controllerNamespace }: InputOptions): RenderOptions {
  return { flux, controllerNamespace };
}
