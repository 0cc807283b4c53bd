import https from 'node:https';

/** An object of the API server, as JSON. */
export interface KubeManifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly generation?: number;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
    readonly [field: string]: unknown;
  };
  // Tests read any field of any kind; each asserts what it reads.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly [field: string]: any;
}

/** One request; `body` is sent as JSON. */
export interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Whatever the API server answered, failures included. */
export interface KubeAnswer {
  readonly statusCode: number;
  /** Texts of the `Warning` headers, as kubectl prints them. */
  readonly warnings: readonly string[];
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
}

/** An answer of 400 and above. */
export class KubeError extends Error {
  override readonly name = 'KubeError';
  readonly statusCode: number;
  readonly answer: KubeAnswer;

  constructor(request: KubeRequest, answer: KubeAnswer) {
    const { message } = (answer.body ?? {}) as { message?: string };
    super(`${request.method} ${request.path}: ${answer.statusCode} ${message ?? ''}`);
    this.statusCode = answer.statusCode;
    this.answer = answer;
  }
}

/** How an object is applied. */
export interface ApplyOptions {
  /** @default 'test' */
  readonly fieldManager?: string;
  readonly force?: boolean;
  readonly dryRun?: boolean;
  readonly subresource?: 'status' | 'scale';
}

/** A connection to the API server as one user. */
export interface KubeConnection {
  readonly server: string;
  readonly ca: string;
  readonly token: string;
}

const MERGE_PATCH = 'application/merge-patch+json';
const JSON_PATCH = 'application/json-patch+json';
const PLURALS: Readonly<Record<string, string>> = {
  GitRepository: 'gitrepositories',
  NetworkPolicy: 'networkpolicies',
  Ingress: 'ingresses',
  Sandbox: 'sandboxes',
  StorageClass: 'storageclasses',
  ValidatingAdmissionPolicy: 'validatingadmissionpolicies',
};
const CLUSTER_SCOPED = new Set([
  'ClusterRole',
  'ClusterRoleBinding',
  'CustomResourceDefinition',
  'Namespace',
  'Node',
  'PersistentVolume',
  'PriorityClass',
  'RuntimeClass',
  'StorageClass',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
]);

/** A small client for tests: raw JSON, every failure an error unless `request` itself is called. */
export class KubeClient {
  readonly #connection: KubeConnection;
  readonly #agent: https.Agent;

  constructor(connection: KubeConnection) {
    this.#connection = connection;
    this.#agent = new https.Agent({ keepAlive: true, maxSockets: 32, ca: connection.ca });
  }

  /** The same API server as somebody else. */
  as(token: string): KubeClient {
    return new KubeClient({ ...this.#connection, token });
  }

  close(): void {
    this.#agent.destroy();
  }

  /** Sends a request and resolves with whatever is answered. Rejects only when there is no answer. */
  request(request: KubeRequest): Promise<KubeAnswer> {
    const url = new URL(request.path, this.#connection.server);
    for (const [key, value] of Object.entries(request.query ?? {})) url.searchParams.set(key, value);
    const body = request.body === undefined ? undefined : Buffer.from(JSON.stringify(request.body));
    const headers = {
      authorization: `Bearer ${this.#connection.token}`,
      accept: 'application/json',
      ...(body && { 'content-type': request.contentType ?? 'application/json', 'content-length': body.length }),
      ...request.headers,
    };
    return new Promise((resolve, reject) => {
      const sent = https.request(
        url,
        { method: request.method, agent: this.#agent, headers, timeout: 60_000 },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8');
            resolve({
              statusCode: response.statusCode ?? 0,
              warnings: warningsOf(response.rawHeaders),
              body: parse(text),
            });
          });
        },
      );
      sent.on('timeout', () => sent.destroy(new Error('no answer in 60 s')));
      sent.on('error', reject);
      sent.end(body);
    });
  }

  async get(path: string, query: Readonly<Record<string, string>> = {}): Promise<KubeManifest> {
    return this.#demand({ method: 'GET', path, query });
  }

  /** Like `get`, but undefined for 404. */
  async find(path: string): Promise<KubeManifest | undefined> {
    const answer = await this.request({ method: 'GET', path });
    if (answer.statusCode === 404) return undefined;
    return settled({ method: 'GET', path }, answer);
  }

  async list(path: string, labelSelector?: string): Promise<readonly KubeManifest[]> {
    const list = await this.#demand({ method: 'GET', path, ...(labelSelector && { query: { labelSelector } }) });
    return list['items'] as readonly KubeManifest[];
  }

  async create(path: string, body: unknown): Promise<KubeManifest> {
    return this.#demand({ method: 'POST', path, body });
  }

  async replace(path: string, body: unknown): Promise<KubeManifest> {
    return this.#demand({ method: 'PUT', path, body });
  }

  async mergePatch(path: string, body: unknown): Promise<KubeManifest> {
    return this.#demand({ method: 'PATCH', path, body, contentType: MERGE_PATCH });
  }

  /** JSON patch: operations that fail as one. */
  async jsonPatch(path: string, operations: readonly object[]): Promise<KubeManifest> {
    return this.#demand({ method: 'PATCH', path, body: operations, contentType: JSON_PATCH });
  }

  async delete(path: string, body?: unknown): Promise<void> {
    const answer = await this.request({ method: 'DELETE', path, ...(body !== undefined && { body }) });
    if (answer.statusCode !== 404) settled({ method: 'DELETE', path }, answer);
  }

  /** Server-side apply with strict field validation. The answer holds the warnings. */
  async apply(manifest: KubeManifest, options: ApplyOptions = {}): Promise<KubeAnswer> {
    const request = applyRequest(manifest, options);
    const answer = await this.request(request);
    settled(request, answer);
    return answer;
  }

  async #demand(request: KubeRequest): Promise<KubeManifest> {
    return settled(request, await this.request(request));
  }
}

/** The request of a server-side apply with strict field validation. */
export function applyRequest(manifest: KubeManifest, options: ApplyOptions = {}): KubeRequest {
  return {
    method: 'PATCH',
    path: pathOf(manifest) + (options.subresource === undefined ? '' : `/${options.subresource}`),
    query: {
      fieldManager: options.fieldManager ?? 'test',
      fieldValidation: 'Strict',
      ...(options.force === true && { force: 'true' }),
      ...(options.dryRun === true && { dryRun: 'All' }),
    },
    contentType: 'application/apply-patch+yaml',
    body: manifest,
  };
}

/** Path of an object, from its kind and names. */
export function pathOf(manifest: {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}): string {
  return `${collectionOf(manifest)}/${manifest.metadata.name}`;
}

/** Path of the collection that an object lies in. */
export function collectionOf(manifest: {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly namespace?: string };
}): string {
  const root = manifest.apiVersion.includes('/') ? `/apis/${manifest.apiVersion}` : `/api/${manifest.apiVersion}`;
  const plural = PLURALS[manifest.kind] ?? `${manifest.kind.toLowerCase()}s`;
  if (CLUSTER_SCOPED.has(manifest.kind)) return `${root}/${plural}`;
  return `${root}/namespaces/${manifest.metadata.namespace ?? 'default'}/${plural}`;
}

function settled(request: KubeRequest, answer: KubeAnswer): KubeManifest {
  if (answer.statusCode >= 400) throw new KubeError(request, answer);
  return answer.body as KubeManifest;
}

/** `299 - "text"`, one header a warning. */
function warningsOf(rawHeaders: readonly string[]): string[] {
  return rawHeaders.flatMap((name, index) =>
    index % 2 === 0 && name.toLowerCase() === 'warning'
      ? [(rawHeaders[index + 1] ?? '').replace(/^\d+ \S+ "(.*)"$/, '$1')]
      : [],
  );
}

function parse(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    return text;
  }
}
