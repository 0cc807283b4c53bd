import { describe, expect, it } from 'vitest';
import { renderInput } from '../../../../lib/children/hermes-agent.js';
import { renderAgent, renderAgentChildren } from '../../../../lib/children/render-agent.js';
import { resolvedAgent } from '../../../support/resolved-agent.js';

const AGENT = resolvedAgent({
  dashboard: { enabled: true },
  networkPolicy: { enabled: true, ingress: [{}] },
});

/** Values of every key of this name, wherever it stands. */
function valuesOf(key: string, value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value as Readonly<Record<string, unknown>>).flatMap(([name, inner]) => [
    ...(name === key ? [inner] : []),
    ...valuesOf(key, inner),
  ]);
}

describe('what is rendered with the engines in mind', () => {
  it('selects pods by labels that no engine writes', () => {
    const manifests = renderAgent(AGENT);
    const selectors = [
      ...valuesOf('matchLabels', manifests.slice(1)),
      ...manifests.filter(({ kind }) => kind === 'Service').flatMap(({ spec }) => valuesOf('selector', { spec })),
    ].filter((selector) => !JSON.stringify(selector).includes('kubernetes.io/metadata.name'));
    expect(selectors).toHaveLength(4);
    for (const selector of selectors) {
      expect(Object.keys(selector as object).sort()).toEqual([
        'hermes-gitops.dev/agent',
        'hermes-gitops.dev/component',
      ]);
    }
  });

  it('has Flux leave a restart in place, and nothing else', () => {
    const merged = renderAgent(AGENT).filter(({ metadata }) =>
      Object.hasOwn(metadata.annotations ?? {}, 'kustomize.toolkit.fluxcd.io/ssa'),
    );
    expect(merged.map(({ kind }) => kind)).toEqual(['Deployment']);
    expect(renderAgentChildren(AGENT).deployment.metadata.annotations).toMatchObject({
      'kustomize.toolkit.fluxcd.io/ssa': 'Merge',
    });
  });

  it('does not take over that a command made a run, from a file that came out of a cluster', () => {
    const annotations = { 'hermes-gitops.dev/origin': 'cli', 'example.net/owner': 'lab' };
    const metadata = { name: 'r', namespace: 'lab', annotations };
    const { metadata: rendered } = renderInput({ apiVersion: 'v1', kind: 'AgentRun', metadata, spec: {} });
    expect(rendered.annotations).toEqual({ 'example.net/owner': 'lab' });
  });
});
