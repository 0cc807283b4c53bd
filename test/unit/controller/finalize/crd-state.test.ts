import { describe, expect, it } from 'vitest';
import { crdState } from '../../../../controller/finalize/crd-state.js';
import { KubeConnectionError, KubeStatusError } from '../../../../controller/kube/errors.js';
import { RESOURCES } from '../../../../controller/kube/resources.js';

const failure = (statusCode: number): KubeStatusError =>
  new KubeStatusError({ statusCode, reason: 'R', message: 'no' });

const ask = (answer: object | Error): Promise<boolean> =>
  crdState(
    {
      now: () => 0,
      request: () => (answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)),
    },
    RESOURCES.agents,
  )();

describe('crdState', () => {
  it.each([
    { title: 'is there', answer: { metadata: {} }, want: false },
    { title: 'is being deleted', answer: { metadata: { deletionTimestamp: '2026-05-01T10:00:00Z' } }, want: true },
    { title: 'is gone', answer: failure(404), want: true },
    { title: 'may not be read', answer: failure(403), want: false },
  ])('is $want when the CRD $title', async ({ answer, want }) => {
    expect(await ask(answer)).toBe(want);
  });

  it.each([failure(500), failure(429), new KubeConnectionError('reset')])('does not guess after %s', async (error) => {
    await expect(ask(error)).rejects.toBe(error);
  });

  it('reads once for all that wait, and never answers from before a question', async () => {
    const waiting: ((answer: object | Error) => void)[] = [];
    const request = (): Promise<unknown> =>
      new Promise((resolve, reject) => {
        waiting.push((answer) => {
          if (answer instanceof Error) reject(answer);
          else resolve(answer);
        });
      });
    const isGoing = crdState({ now: () => 0, request }, RESOURCES.agents);
    const before = isGoing();
    const during = [isGoing(), isGoing(), isGoing()];
    expect(waiting).toHaveLength(1);
    waiting[0]?.({ metadata: {} });
    expect(await before).toBe(false);
    await Promise.resolve();
    expect(waiting).toHaveLength(2);
    const later = isGoing();
    waiting[1]?.({ metadata: { deletionTimestamp: '2026-05-01T10:00:00Z' } });
    expect(await Promise.all(during)).toEqual([true, true, true]);
    await Promise.resolve();
    waiting[2]?.(failure(404));
    expect(await later).toBe(true);
    expect(waiting).toHaveLength(3);
  });

  it('asks anew after a failure', async () => {
    const answers = [Promise.reject(failure(500)), Promise.resolve({ metadata: {} })];
    const isGoing = crdState({ now: () => 0, request: () => answers.shift() ?? Promise.resolve({}) }, RESOURCES.agents);
    await expect(isGoing()).rejects.toThrow('no');
    expect(await isGoing()).toBe(false);
  });

  it('asks about the kind that it is for', async () => {
    const paths: string[] = [];
    const request = ({ path }: { readonly path: string }): Promise<unknown> => Promise.resolve(paths.push(path));
    await crdState({ now: () => 0, request }, RESOURCES.runs)();
    expect(paths).toEqual(['/apis/apiextensions.k8s.io/v1/customresourcedefinitions/agentruns.hermes-gitops.dev']);
  });
});
