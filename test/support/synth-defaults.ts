import type { SynthOptions } from '../../cli/synth.js';

/** How `synth` reads and renders without flags, for verbs that read as it does. */
export const READING_DEFAULTS = {
  flux: false,
  controllerNamespace: 'hermes-gitops-system',
  format: 'text',
  allowedClusterRoles: [],
  allowedBindingNamespaces: [],
} as const;

/** `synth` into `dist` without further flags. */
export const SYNTH_DEFAULTS: Omit<SynthOptions, 'inputs'> = {
  ...READING_DEFAULTS,
  output: 'dist',
  layout: 'FILE_PER_CHART',
  check: false,
  prune: false,
};
