import type { KubeClient } from './client.js';
import { KubeConnectionError } from './errors.js';

/** What the controllers use of {@link KubeClient}. */
export type ControllerClient = Pick<KubeClient, 'request' | 'stream' | 'open' | 'now'>;

/**
 * The client of a process that may write only while it leads. One that was frozen for a while wakes up with passes that
 * are due and with the cluster of back then in its cache; whoever took its place has gone on meanwhile.
 */
export function fenced(client: ControllerClient, mayWrite: () => boolean): ControllerClient {
  return {
    request: (request) => {
      if (request.method === 'GET' || mayWrite()) return client.request(request);
      const { method, path } = request;
      return Promise.reject(new KubeConnectionError(`${method} ${path}: not sent, another process may lead by now`));
    },
    stream: (request, signal) => client.stream(request, signal),
    open: (request, signal) => client.open(request, signal),
    now: () => client.now(),
  };
}
