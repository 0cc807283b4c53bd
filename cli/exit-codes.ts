/** What the exit code of every verb means. */
export const EXIT = {
  done: 0,
  /** An input is not valid, or the output is not what the inputs render to. */
  invalid: 1,
  /** The command line is not one. */
  usage: 2,
  /** Reading, writing or the cluster failed. */
  failure: 3,
  /** `run --wait`: the run failed. */
  runFailed: 10,
  /** `run --wait`: the agent reached a limit of its own. */
  limitReached: 11,
  /** `run --wait`: the run was not over in time, as timeout(1) says it. */
  timedOut: 124,
} as const;

/** One of {@link EXIT}. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** Something outside of the inputs failed: a file that cannot be read or written. Shown without a stack trace. */
export class IoError extends Error {
  override readonly name = 'IoError';
}

/** The arguments do not make sense together. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The message of a caught value, for people. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EISDIR: 'is a folder',
  ENOTDIR: 'is not a folder',
  ELOOP: 'too many symbolic links',
  ENOSPC: 'no space left',
  EROFS: 'the file system is read-only',
};

/** Why a file operation failed, without the path and the system call, which a message of ours names itself. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return REASONS[code] ?? messageOf(error);
}
