import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { kubeconfigConnection, kubeconfigNamespace } from '../../../../controller/kube/kubeconfig.js';

let folder = '';

/** A kubeconfig with a cluster `https://<server>.example.net` called `cluster`, and a context for it. */
const config = (server: string, context: string, { cluster = 'cluster', isCurrent = true } = {}): string =>
  JSON.stringify({
    clusters: [{ name: cluster, cluster: { server: `https://${server}.example.net` } }],
    users: [{ name: cluster, user: { token: server } }],
    contexts: [{ name: context, context: { cluster, user: cluster, namespace: `of-${context}` } }],
    ...(isCurrent && { 'current-context': context }),
  });

const files: Readonly<Record<string, string>> = {
  first: config('first', 'a'),
  second: config('second', 'b', { cluster: 'other' }),
  'same-names': config('third', 'a'),
  'no-current': config('fourth', 'c', { isCurrent: false }),
  empty: '',
  'no-url': config('x', 'a').replace('https://', ''),
};

const inFolder = (names: string): string =>
  names
    .split(',')
    .map((name) => join(folder, name))
    .join(delimiter);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hermes-kubeconfig-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
});

afterEach(() => {
  vi.unstubAllEnvs();
});

afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('the connection of KUBECONFIG', () => {
  it.each([
    ['first,second', 'first', 'of-a'],
    ['second,first', 'second', 'of-b'],
    ['first,same-names', 'first', 'of-a'],
    ['gone,second', 'second', 'of-b'],
    ['no-current,second', 'second', 'of-b'],
  ])('is, as for kubectl, of %s that of %s', async (names, server, namespace) => {
    vi.stubEnv('KUBECONFIG', inFolder(names));
    const connection = kubeconfigConnection();
    expect([connection.server.hostname, kubeconfigNamespace()]).toEqual([`${server}.example.net`, namespace]);
    expect((await connection.credentials()).headers).toEqual({ authorization: `Bearer ${server}` });
  });

  it('is that of the context that is asked for, in whichever file', () => {
    vi.stubEnv('KUBECONFIG', inFolder('first,second'));
    expect(kubeconfigConnection(undefined, 'b').server.hostname).toBe('second.example.net');
    expect(kubeconfigNamespace(undefined, 'b')).toBe('of-b');
  });

  it('is missed where there is no file at all, instead of a port of this machine', () => {
    vi.stubEnv('KUBECONFIG', '');
    vi.stubEnv('HOME', folder);
    expect(() => kubeconfigConnection()).toThrow('there is none; set KUBECONFIG, or name one with --kubeconfig');
    vi.stubEnv('KUBECONFIG', inFolder('gone'));
    expect(() => kubeconfigConnection()).toThrow(`no such file: ${inFolder('gone')}`);
  });
});

it.each([
  ['empty', /empty is no kubeconfig$/],
  ['no-url', /^the server of cluster "cluster" is no URL$/],
])('says what is wrong with a file that is %s', (name, message) => {
  expect(() => kubeconfigConnection(join(folder, name))).toThrow(message);
});
