/** Why a dashboard gave no answer that can be used, in words for the agent's owner. */
export class ProbeFailure extends Error {
  override readonly name = 'ProbeFailure';
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was cut off',
  EPIPE: 'the connection was cut off',
  EHOSTUNREACH: 'no route to the pod',
  ENETUNREACH: 'no route to the pod',
  ETIMEDOUT: 'no connection',
  HPE_HEADER_OVERFLOW: 'its headers are too large',
};

/** A few words for any error of an exchange: the same failure has the same words, or each would be a status write. */
export function failureText(error: unknown): string {
  const failure = probeFailure(error);
  if (failure !== undefined) return failure.message;
  const code = errorCode(error) ?? '';
  if (Object.hasOwn(WORDS, code)) return WORDS[code] ?? code;
  if (code.startsWith('HPE_')) return 'its answer is no HTTP';
  return code === '' ? 'the exchange failed' : `the exchange failed with ${code}`;
}

/** A client may have wrapped it in an error of its own. */
function probeFailure(error: unknown): ProbeFailure | undefined {
  if (error instanceof ProbeFailure) return error;
  return error instanceof Error ? probeFailure(error.cause) : undefined;
}

function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: unknown };
  return typeof code === 'string' ? code : errorCode(cause);
}
