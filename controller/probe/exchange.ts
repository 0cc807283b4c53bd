import http from 'node:http';
import { DASHBOARD_PORT } from '../../lib/api/probe-access.js';
import type { KubeRequest } from '../kube/client.js';
import { objectPath, RESOURCES } from '../kube/resources.js';
import { ProbeFailure } from './failure.js';
import { guardAgainstFlood, MAX_BODY_BYTES, TOO_LARGE } from './flood-guard.js';
import type { ProbeTarget } from './target.js';

/** Asks a dashboard for its state and resolves with the text of the answer; rejects when there is none to use. */
export type AskDashboard = (target: ProbeTarget, signal: AbortSignal) => Promise<string>;

/** Opens an answer of the API server whatever its status code is. */
export interface ProxyApi {
  open(request: KubeRequest, signal: AbortSignal): Promise<http.IncomingMessage>;
}

const PATH = '/api/status';
const HEADERS = { accept: 'application/json', 'accept-encoding': 'identity' };

/** An agent of its own: the global one may be told by the environment to go through a proxy. */
const CONNECTIONS = new http.Agent({ keepAlive: false });

/** Asks at the pod's own address; a Service or a name could be pointed elsewhere. */
export const askPod: AskDashboard = async ({ pod }, signal) => {
  if (pod?.address === undefined) throw new ProbeFailure('the pod has no address');
  const options: http.RequestOptions = {
    host: pod.address,
    port: DASHBOARD_PORT,
    path: PATH,
    agent: CONNECTIONS,
    headers: HEADERS,
    signal,
  };
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const sent = http.get(options, resolve).on('error', reject);
    guardAgainstFlood(sent);
    sent.on('upgrade', (_, socket) => {
      socket.destroy();
      reject(new ProbeFailure('it answered with status 101'));
    });
  });
  return readAnswer(response);
};

/** Asks through the API server, for a controller that cannot reach pods itself. */
export function askThroughApiServer(api: ProxyApi): AskDashboard {
  return async ({ agent, pod }, signal) => {
    const { namespace = '' } = agent.metadata;
    const name = `${pod?.name ?? ''}:${DASHBOARD_PORT}`;
    const path = `${objectPath(RESOURCES.pods, { namespace, name }, 'proxy')}${PATH}`;
    return readAnswer(await api.open({ method: 'GET', path, onSent: guardAgainstFlood }, signal));
  };
}

/** The body of a usable answer. Whatever else it is, no more than the limit is read, and no other request follows. */
async function readAnswer(response: http.IncomingMessage): Promise<string> {
  try {
    if (response.statusCode !== 200) throw new ProbeFailure(`it answered with status ${response.statusCode ?? 0}`);
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of response) {
      size += (chunk as Buffer).length;
      if (size > MAX_BODY_BYTES) throw new ProbeFailure(TOO_LARGE);
      chunks.push(chunk as Buffer);
    }
    return Buffer.concat(chunks).toString('utf8');
  } finally {
    response.destroy();
  }
}
