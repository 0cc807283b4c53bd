import type { PathSegment } from '../problem.js';
import type { Reporter } from '../reporter.js';

/** A check of a value of one native type, which the schema has found well-formed. */
export type NativeCheck<T> = (value: T, path: readonly PathSegment[], report: Reporter) => void;

/** Checks by the name of the native type. */
export const NATIVE_CHECKS: Readonly<Record<string, readonly NativeCheck<never>[]>> = {};
