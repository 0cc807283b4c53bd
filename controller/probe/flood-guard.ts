import type http from 'node:http';
import { ProbeFailure } from './failure.js';

/** Many times what a real dashboard says, and little enough to be parsed in one piece. */
export const MAX_BODY_BYTES = 64 * 1024;

/** Room for a head and the framing of chunks. */
const MAX_WIRE_BYTES = 2 * MAX_BODY_BYTES;

/** Why an answer is not read to its end, whichever limit it met first: that is chance, and must not change a status. */
export const TOO_LARGE = `its answer is larger than ${MAX_BODY_BYTES / 1024} KiB`;

/**
 * Ends an exchange whose answer costs more to read than it can be worth. Limits of a body do not see what comes before
 * it, such as informational answers without end, nor the framing of a body that comes byte by byte.
 */
export function guardAgainstFlood(sent: http.ClientRequest): void {
  let response: http.IncomingMessage | undefined;
  const end = (why: string): void => {
    (response ?? sent).destroy(new ProbeFailure(why));
  };
  sent.once('response', (message) => {
    response = message;
  });
  sent.once('information', ({ statusCode }: http.InformationEvent) => {
    end(`it answered with status ${statusCode}`);
  });
  sent.once('socket', (socket) => {
    // A connection that is kept has read other answers before.
    const before = socket.bytesRead;
    const count = (): void => {
      if (socket.bytesRead - before <= MAX_WIRE_BYTES) return;
      socket.off('data', count);
      end(TOO_LARGE);
    };
    socket.on('data', count);
    sent.once('close', () => socket.off('data', count));
  });
}
