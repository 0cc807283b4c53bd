import { agentRunCrd, hermesAgentCrd } from '../../lib/api/crd.js';
import type { KubeClient } from './client.js';
import { waitFor } from './wait.js';

interface CrdStatus {
  readonly conditions: readonly { readonly type: string; readonly status: string }[];
}

/** Applies the product's CRDs and waits until they are served. */
export async function installCrds(client: KubeClient): Promise<void> {
  for (const crd of [hermesAgentCrd(), agentRunCrd()]) {
    await client.apply(crd, { force: true });
    const { group, names } = crd.spec;
    await waitFor(
      async () => {
        const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${crd.metadata.name}`;
        const conditions = ((await client.get(path))['status'] as CrdStatus).conditions;
        const isServed = conditions.some(({ type, status }) => type === 'Established' && status === 'True');
        return isServed && (await client.list(`/apis/${group}/${crd.spec.versions[0]?.name ?? ''}/${names.plural}`));
      },
      { what: `${crd.metadata.name} to be served` },
    );
  }
}
