/** The API server answered, and the answer is a failure. */
export class KubeStatusError extends Error {
  override readonly name = 'KubeStatusError';
  readonly statusCode: number;
  /** The machine-readable reason of the Status object, for example `Conflict`; empty when there was none. */
  readonly reason: string;
  /** What the server asked to wait, from `Retry-After`. */
  readonly retryAfterMs: number | undefined;

  constructor(answer: { statusCode: number; reason: string; message: string; retryAfterMs?: number }) {
    super(answer.message);
    this.statusCode = answer.statusCode;
    this.reason = answer.reason;
    this.retryAfterMs = answer.retryAfterMs;
  }
}

/** No usable answer: refused, reset, timed out, or cut off. */
export class KubeConnectionError extends Error {
  override readonly name = 'KubeConnectionError';
}

/** Whether the server answered with this status code. */
export function hasStatusCode(error: unknown, statusCode: number): boolean {
  return error instanceof KubeStatusError && error.statusCode === statusCode;
}

/** The requested resourceVersion, or the continue token, is no longer known to the server. */
export function isExpired(error: unknown): boolean {
  return (
    error instanceof KubeStatusError &&
    (error.statusCode === 410 || error.reason === 'Expired' || error.reason === 'Gone')
  );
}

/** One line for a log or a message. */
export function describeError(error: unknown): string {
  if (error instanceof KubeStatusError) return `${error.statusCode} ${error.reason}: ${error.message}`;
  return error instanceof Error ? error.message : String(error);
}

/** The error for a failed answer; the body is a Status object, or whatever a proxy in between wrote. */
export function statusError(statusCode: number, body: string, retryAfter?: string): KubeStatusError {
  const seconds = Number(retryAfter);
  const wait = retryAfter !== undefined && Number.isFinite(seconds) ? { retryAfterMs: seconds * 1000 } : {};
  let status: { reason?: unknown; message?: unknown } = {};
  try {
    const parsed: unknown = JSON.parse(body);
    if (typeof parsed === 'object' && parsed !== null) status = parsed;
  } catch {
    // A proxy's HTML page: its status code says enough.
  }
  const reason = typeof status.reason === 'string' ? status.reason : '';
  const message = typeof status.message === 'string' ? status.message : `HTTP status ${statusCode}`;
  return new KubeStatusError({ statusCode, reason, message, ...wait });
}
