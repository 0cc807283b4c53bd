import { App } from 'cdk8s';
import { describe, expect, it } from 'vitest';
import { installFiles } from '../../../../charts/install/install-files.js';
import { InstallSet } from '../../../../charts/install/install-set.js';
import { CONTROLLER_USERNAME } from '../../../../charts/install/names.js';
import { parseCommand } from '../../../../controller/options.js';
import { celList, celText, sameExcept } from '../../../../charts/install/policies/cel.js';
import { installObjects } from '../../../support/install-set.js';

const LISTS = { allowedClusterRoles: ['node-reader', 'lister'], allowedBindingNamespaces: ['tools'] };

function controllerPod(objects = installObjects()): Record<string, unknown> {
  const deployment = objects.get('deployment') as unknown as { spec: { template: { spec: Record<string, unknown> } } };
  return deployment.spec.template.spec;
}

function controllerContainer(objects = installObjects()): Readonly<Record<string, unknown>> {
  const [container] = controllerPod(objects)['containers'] as Record<string, unknown>[];
  return container ?? {};
}

describe('the install set', () => {
  it('renders the same twice', () => {
    expect([...installFiles(new App())]).toEqual([...installFiles(new App())]);
  });

  it('gives every file one object and lists it in a kustomization', () => {
    const files = installFiles(new App());
    const base = [...files.keys()].filter((path) => path.startsWith('base/') && !path.endsWith('kustomization.yaml'));
    expect(base).toHaveLength(installObjects().size);
    for (const path of base) {
      const folder = path.slice(0, path.lastIndexOf('/'));
      expect(files.get(`${folder}/kustomization.yaml`)).toContain(`- ${path.slice(folder.length + 1)}\n`);
    }
  });

  it('carries nowhere the label by which the controller is let delete', () => {
    const labelled = [...installObjects()].filter(([, { metadata }]) =>
      Object.hasOwn(metadata.labels ?? {}, 'app.kubernetes.io/managed-by'),
    );
    expect(labelled).toEqual([]);
  });

  it('keeps its kinds from the pruning of both engines', () => {
    const kinds = [...installObjects().values()].filter(({ kind }) => kind === 'CustomResourceDefinition');
    expect(kinds.length).toBeGreaterThan(0);
    for (const { metadata } of kinds) {
      expect(metadata.annotations).toMatchObject({
        'argocd.argoproj.io/sync-options': 'Prune=false,Delete=false',
        'kustomize.toolkit.fluxcd.io/prune': 'disabled',
      });
    }
  });

  it('puts the image in one place', () => {
    const image = 'registry.example.net/controller:v3';
    expect(controllerContainer(installObjects({ image }))['image']).toBe(image);
    const texts = [...installFiles(new App(), { image })].filter(([, text]) => text.includes(image));
    expect(texts.map(([path]) => path)).toEqual(['base/deployment.yaml']);
  });

  it('puts the lists into the policy and beside the flags, and nowhere else', () => {
    const policy = installObjects(LISTS).get('policies/binding-lists')?.['spec'] as unknown as {
      variables: readonly { name: string; expression: string }[];
    };
    const lists = policy.variables.filter(({ name }) => ['clusterRoles', 'namespaces'].includes(name));
    expect(lists).toEqual([
      { name: 'clusterRoles', expression: `'node-reader,lister'.split(',').map(n, n.trim()).filter(n, n != '')` },
      { name: 'namespaces', expression: `'tools'.split(',').map(n, n.trim()).filter(n, n != '')` },
    ]);
    const texts = [...installFiles(new App(), LISTS)].filter(([, text]) => text.includes('node-reader'));
    expect(texts.map(([path]) => path)).toEqual(['base/deployment.yaml', 'base/policies/binding-lists.yaml']);
  });

  it('has no policy that reads a parameter', () => {
    const specs = [...installObjects()]
      .filter(([path]) => path.startsWith('policies/'))
      .map(([, object]) => object['spec'] as object);
    expect(specs).toHaveLength(6);
    for (const spec of specs) {
      expect(spec).not.toHaveProperty('paramKind');
      expect(spec).not.toHaveProperty('paramRef');
    }
  });

  it('gives the controller flags that it knows, with the lists from its variables', () => {
    const container = controllerContainer(installObjects(LISTS)) as unknown as {
      args: readonly string[];
      env: readonly { name: string; value: string }[];
    };
    const values = new Map(container.env.map(({ name, value }) => [name, value]));
    const args = container.args.map((arg) =>
      arg.replace(/\$\((\w+)\)/g, (_text, name: string) => values.get(name) ?? ''),
    );
    expect(parseCommand(args)).toMatchObject({
      kind: 'run',
      options: { ...LISTS, leaderElect: true, metricsSecure: true, metricsAddress: { port: 8443 } },
    });
  });

  it('keeps the container as closed as the restricted profile asks, and its root read-only', () => {
    expect(controllerContainer()['securityContext']).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(controllerPod()['securityContext']).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    });
  });

  it('names its account so that no policy takes it for an agent', () => {
    expect(CONTROLLER_USERNAME).not.toMatch(/:hermes-[^:]*$/);
  });

  it('can be patched object by object', () => {
    const { objects } = new InstallSet(new App(), 'install');
    const service = objects.get('service');
    service?.metadata.addLabel('team', 'platform');
    expect(service?.toJson()).toMatchObject({ metadata: { labels: { team: 'platform' } } });
  });

  it.each(['a,b', 'a b', ''])('refuses "%s" as a name in a list', (name) => {
    expect(() => installObjects({ allowedClusterRoles: [name] })).toThrow(`"${name}" cannot be in a list of names`);
  });
});

describe('CEL', () => {
  it.each([
    ['plain', `'plain'`],
    [`it's`, `'it\\'s'`],
    ['back\\slash', `'back\\\\slash'`],
  ])('quotes %s', (text, want) => {
    expect(celText(text)).toBe(want);
  });

  it('writes lists', () => {
    expect(celList(['a', 'b'])).toBe(`['a', 'b']`);
  });

  it('compares from both sides, so that a key that is gone counts as well', () => {
    expect(sameExcept('a', 'b', ['k'])).toBe(
      `dyn(a).all(k, k in ['k'] || (k in dyn(b) && dyn(a)[k] == dyn(b)[k]))` +
        ` && dyn(b).all(k, k in ['k'] || k in dyn(a))`,
    );
  });
});
