import { expect, it } from 'vitest';
import type { KubeManifest } from '../../../lib/children/manifest.js';
import { renderAgentChildren } from '../../../lib/children/render-agent.js';
import { validateAgent } from '../../../lib/validation/validate-agent.js';
import { createNamespace, describeOnBed, sharedBed } from '../../cluster/bed.js';
import type { KubeManifest as Stored } from '../../cluster/client.js';

const READER = { kind: 'Role', name: 'reader' };
const WRITER = { kind: 'Role', name: 'writer' };

function bindings(namespace: string, roles: readonly object[]): readonly KubeManifest[] {
  const { agent, problems } = validateAgent(
    {
      apiVersion: 'hermes-gitops.dev/v1alpha1',
      kind: 'HermesAgent',
      metadata: { name: 'mia', namespace },
      spec: {
        image: 'registry.example.net/hermes:v1',
        storage: { existingClaimName: 'home' },
        rbac: { roleBindings: roles.map((roleRef) => ({ namespace, roleRef })) },
      },
    },
    { allowedClusterRoles: [], allowedBindingNamespaces: [] },
  );
  if (agent === undefined) throw new Error(problems.map(({ message }) => message).join('\n'));
  return renderAgentChildren(agent).roleBindings;
}

describeOnBed('edited bindings', () => {
  const { client } = sharedBed();

  it('never change the role of an object that exists, which the API server refuses', async () => {
    const namespace = await createNamespace(client, 'bindings');
    const apply = async (manifests: readonly KubeManifest[]): Promise<void> => {
      for (const manifest of manifests) await client.apply(manifest as Stored, { force: true });
    };
    const [first, swapped, one] = [[READER, WRITER], [WRITER, READER], [WRITER]].map((roles) =>
      bindings(namespace, roles),
    );
    await apply(first ?? []);
    await apply(swapped ?? []);
    await apply(one ?? []);

    const names = (manifests: readonly KubeManifest[] = []): string[] => manifests.map(({ metadata }) => metadata.name);
    expect(names(swapped)).toEqual(names(first));
    expect(names(first).filter((name) => !names(one).includes(name))).toHaveLength(1);
    expect(names(one)).toHaveLength(1);

    // Had the position been the name, the second of these would have been sent.
    const [binding] = one ?? [];
    const renamed = { ...binding, roleRef: { apiGroup: 'rbac.authorization.k8s.io', ...READER } };
    await expect(client.apply(renamed as unknown as Stored, { force: true })).rejects.toThrow(
      /cannot change roleRef|immutable/,
    );
  });
});
