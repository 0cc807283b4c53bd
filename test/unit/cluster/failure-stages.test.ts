import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { failureStages, IMAGE_NOT_THERE } from '../../cluster/failure-stages.js';

interface Stage {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly selector: { readonly matchExpressions: { key: string; operator: string; values?: string[] }[] };
  };
}

const STATE = '.metadata.annotations["bed.hermes-gitops.dev/state"]';

function stagesOf(text: string): Stage[] {
  return parseAllDocuments(text).map((document) => document.toJS() as Stage);
}

function statesOf(stage: Stage | undefined): string[] {
  return stage?.spec.selector.matchExpressions.find(({ key }) => key === STATE)?.values ?? [];
}

describe('failureStages', () => {
  it('and the stage that makes pods ready leave no state to both or to neither', async () => {
    const file = new URL('../../cluster/stages/pod.yaml', import.meta.url);
    const ready = stagesOf(await readFile(file, 'utf8')).find(({ metadata }) => metadata.name === 'pod-ready');
    const failing = new Set(stagesOf(failureStages()).flatMap(statesOf));
    expect(statesOf(ready).sort()).toEqual([...failing].sort());
  });

  it('and the stage that makes pods ready leave no pod of the missing image to both', async () => {
    const file = new URL('../../cluster/stages/pod.yaml', import.meta.url);
    const ready = stagesOf(await readFile(file, 'utf8')).find(({ metadata }) => metadata.name === 'pod-ready');
    const images = ready?.spec.selector.matchExpressions.filter(({ key }) => key.endsWith('.image'));
    expect(images).toEqual([{ key: '.spec.containers.[].image', operator: 'NotIn', values: [IMAGE_NOT_THERE] }]);
  });

  it('gives every stage a name of its own', () => {
    const names = stagesOf(failureStages()).map(({ metadata }) => metadata.name);
    expect(names).toHaveLength(18);
    expect(new Set(names).size).toBe(names.length);
  });
});
