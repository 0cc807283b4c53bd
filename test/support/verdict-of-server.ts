import { createHash } from 'node:crypto';

import { canonicalJson } from '../../lib/api/canonical-json.js';
import { ANNOTATIONS } from '../../lib/api/identity.js';
import type { KubeManifest as RenderedManifest } from '../../lib/children/manifest.js';
import { applyRequest, collectionOf, type KubeAnswer, type KubeClient, type KubeManifest } from '../cluster/client.js';

/** What the API server says of one object. */
export interface ServerAnswer {
  readonly object: string;
  readonly isAccepted: boolean;
  /** Why not, or what it warns of. */
  readonly messages: readonly string[];
}

/** How the API server refuses two items of one key when an object is applied: as an error of its own. */
const MERGE_REFUSED = 'failed to create typed patch object';

/** Requests that are under way at one time. */
const PARALLEL = 16;

/** The digest is a hash of the spec: of any other value the API server would say the same. */
const SAME_DIGEST = `v1:${'0'.repeat(64)}`;

/** Asks the API server what it would do with objects. Nothing is stored, and what was asked before is not asked again. */
export class DryRun {
  readonly #client: KubeClient;
  readonly #answers = new Map<string, Promise<ServerAnswer>>();
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  /** How many requests were sent. */
  get requests(): number {
    return this.#answers.size;
  }

  /** Creates an agent as it was written. */
  create(agent: unknown): Promise<ServerAnswer> {
    return this.#once(`create ${canonicalJson(agent)}`, 'HermesAgent as written', () =>
      this.#client.request({
        method: 'POST',
        path: collectionOf(agent as KubeManifest),
        query: { dryRun: 'All', fieldValidation: 'Strict', fieldManager: 'test' },
        body: agent,
      }),
    );
  }

  /** Applies a rendered object, as an engine would. */
  apply(manifest: RenderedManifest): Promise<ServerAnswer> {
    const body = withSameDigest(manifest) as KubeManifest;
    return this.#once(`apply ${canonicalJson(body)}`, manifest.kind, () =>
      this.#client.request(applyRequest(body, { dryRun: true, force: true })),
    );
  }

  #once(key: string, object: string, send: () => Promise<KubeAnswer>): Promise<ServerAnswer> {
    const hash = createHash('sha256').update(key).digest('base64');
    const known = this.#answers.get(hash);
    if (known !== undefined) return known;
    const answer = this.#inTurn(send).then((response) => toAnswer(object, response));
    this.#answers.set(hash, answer);
    return answer;
  }

  async #inTurn<T>(task: () => Promise<T>): Promise<T> {
    if (this.#running >= PARALLEL) {
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    } else {
      this.#running += 1;
    }
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}

function withSameDigest(manifest: RenderedManifest): RenderedManifest {
  const { annotations } = manifest.metadata;
  if (annotations?.[ANNOTATIONS.specDigest] === undefined) return manifest;
  return {
    ...manifest,
    metadata: { ...manifest.metadata, annotations: { ...annotations, [ANNOTATIONS.specDigest]: SAME_DIGEST } },
  };
}

function toAnswer(object: string, { statusCode, warnings, body }: KubeAnswer): ServerAnswer {
  const { message = '' } = (body ?? {}) as { readonly message?: string };
  // Anything else says nothing of the object: the test would compare with an accident.
  const isNoAnswer = statusCode >= 500 && !message.startsWith(MERGE_REFUSED);
  if (statusCode === 429 || isNoAnswer || statusCode === 401 || statusCode === 403) {
    throw new Error(`dry run of ${object}: ${statusCode} ${message}`);
  }
  const isAccepted = statusCode < 300;
  return { object, isAccepted, messages: isAccepted ? warnings : [`${statusCode} ${message}`] };
}
