import { ENV_RULES } from './env.js';
import { NETWORK_RULES } from './network.js';
import { PROJECTION_RULES } from './projections.js';
import { RESOURCE_RULES } from './resources.js';
import type { NativeRules } from './rules.js';
import { SCHEDULING_RULES } from './scheduling.js';
import { SECURITY_RULES } from './security.js';
import { SELECTOR_RULES } from './selectors.js';
import { VOLUME_SOURCE_RULES } from './volume-sources.js';
import { VOLUME_RULES } from './volumes.js';
import { WINDOWS_RULES } from './windows.js';

/** By the name of a native type: what the API server asks of it when it is part of a child. */
export const NATIVE_RULES: Readonly<Record<string, NativeRules>> = {
  ...ENV_RULES,
  ...NETWORK_RULES,
  ...RESOURCE_RULES,
  ...SCHEDULING_RULES,
  ...SECURITY_RULES,
  ...SELECTOR_RULES,
  ...VOLUME_RULES,
  ...VOLUME_SOURCE_RULES,
  ...PROJECTION_RULES,
  ...WINDOWS_RULES,
};
