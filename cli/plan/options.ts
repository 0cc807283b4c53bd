import type { InputOptions } from '../input/options.js';

/** How a plan is printed. */
export const PLAN_FORMATS = ['text', 'json'] as const;

/** Arguments of `plan`. */
export interface PlanOptions extends InputOptions {
  readonly format: (typeof PLAN_FORMATS)[number];
  readonly against: string;
  /** The rendered tree in the repository; only for a commit. */
  readonly output?: string;
  readonly prune: boolean;
  readonly kubeconfig?: string;
  readonly context?: string;
}
