import { describe, expect, it } from 'vitest';
import { createRun } from '../../../cli/run/create.js';
import type { KubeApi } from '../../../controller/kube/client.js';
import { KubeStatusError } from '../../../controller/kube/errors.js';
import type { KubeManifest } from '../../../lib/children/manifest.js';

const manifest = (apiVersion: string, kind: string, name: string): KubeManifest => ({
  apiVersion,
  kind,
  metadata: { name, namespace: 'lab' },
});
const RUN = manifest('hermes-gitops.dev/v1alpha1', 'AgentRun', 'sum-1');
const JOB = manifest('batch/v1', 'Job', 'hermes-run-sum-1');
const STORED = { metadata: { name: 'sum-1', namespace: 'lab', uid: 'run-uid', resourceVersion: '7' } };

const statusError = (statusCode: number, reason: string): KubeStatusError =>
  new KubeStatusError({ statusCode, reason, message: 'no' });

/** Creates the run "sum-1" where these requests are answered so, and every other one with the stored run. */
function create(answers: Readonly<Record<string, unknown>>) {
  const asked: string[] = [];
  const api = {
    request: ({ method, path }: { method: string; path: string }) => {
      const request = `${method} ${path.split('/namespaces/lab/')[1] ?? ''}`;
      asked.push(request);
      const answer = request in answers ? answers[request] : STORED;
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
    },
  } as unknown as KubeApi;
  return { created: createRun(api, RUN, JOB), asked };
}

const LOOK = 'GET jobs/hermes-run-sum-1';

describe('the creation of a run by the command', () => {
  it('changes nothing where a Job of its name is', async () => {
    const { created, asked } = create({ [LOOK]: {} });
    await expect(created).rejects.toThrow('Job lab/hermes-run-sum-1 already exists; choose another --name');
    expect(asked).toEqual([LOOK]);
  });

  it.each([
    ['is not there', statusError(404, 'NotFound')],
    ['may not be read', statusError(403, 'Forbidden')],
  ])('creates the run, then its Job, where that %s', async (_what, look) => {
    const { created, asked } = create({ [LOOK]: look });
    expect(await created).toEqual({ name: 'sum-1', namespace: 'lab', uid: 'run-uid', resourceVersion: '7' });
    expect(asked).toEqual([LOOK, 'POST agentruns', 'POST jobs']);
  });

  it('takes the run back where another Job came first', async () => {
    const { created, asked } = create({
      [LOOK]: statusError(404, 'NotFound'),
      'POST jobs': statusError(409, 'AlreadyExists'),
    });
    await expect(created).rejects.toThrow('Job lab/hermes-run-sum-1: 409 AlreadyExists');
    expect(asked).toEqual([LOOK, 'POST agentruns', 'POST jobs', 'DELETE agentruns/sum-1']);
  });
});
