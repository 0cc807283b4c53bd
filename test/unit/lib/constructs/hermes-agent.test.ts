import { ApiObject, App, Chart, JsonPatch, Testing, Yaml } from 'cdk8s';
import { ConfigMap } from 'cdk8s-plus-28';
import { describe, expect, it } from 'vitest';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HermesAgentSpec } from '../../../../lib/api/generated/types.js';
import { renderAgent } from '../../../../lib/children/render-agent.js';
import { HermesAgent } from '../../../../lib/constructs/hermes-agent.js';
import { validateAgent } from '../../../../lib/validation/validate-agent.js';
import { CLAIM } from '../../../support/resolved-agent.js';

const SPEC: HermesAgentSpec = { image: 'registry.example.net/hermes:v1', storage: { persistentVolumeClaim: CLAIM } };

const ALL: HermesAgentSpec = {
  ...SPEC,
  rbac: {
    roleBindings: [{ namespace: 'lab', roleRef: { kind: 'ClusterRole', name: 'view' } }],
    clusterRoleBindings: [{ roleRef: { kind: 'ClusterRole', name: 'node-reader' } }],
  },
  dashboard: { enabled: true, ingress: { enabled: true, ingressClassName: 'nginx', host: 'mia.example.net' } },
  networkPolicy: { enabled: true, ingress: [{}] },
};

function chart(): Chart {
  return new Chart(Testing.app(), 'agents', { namespace: 'lab' });
}

describe('HermesAgent', () => {
  it('renders in a chart what synth renders, beside other constructs', () => {
    const scope = chart();
    new ConfigMap(scope, 'settings', { data: { a: 'b' } });
    new HermesAgent(scope, 'mia', { metadata: { name: 'mia' }, spec: ALL, allowedClusterRoles: ['node-reader'] });
    const { agent } = validateAgent(
      {
        apiVersion: 'hermes-gitops.dev/v1alpha1',
        kind: 'HermesAgent',
        metadata: { name: 'mia', namespace: 'lab' },
        spec: ALL,
      },
      { allowedClusterRoles: ['node-reader'], allowedBindingNamespaces: [] },
    );
    const rendered = Testing.synth(scope) as { readonly kind: string }[];
    expect(agent).toBeDefined();
    expect(rendered.filter(({ kind }) => kind !== 'ConfigMap')).toEqual(agent && renderAgent(agent));
    expect(rendered.filter(({ kind }) => kind === 'ConfigMap')).toHaveLength(1);
  });

  it('exposes each child under a stable id', () => {
    const agent = new HermesAgent(chart(), 'mia', {
      metadata: { name: 'mia' },
      spec: ALL,
      allowedClusterRoles: ['node-reader'],
    });
    const ids = agent.node.children.map((child) => [child.node.id, ApiObject.of(child).kind]);
    expect(ids).toEqual([
      ['hermes-agent', 'HermesAgent'],
      ['service-account', 'ServiceAccount'],
      ['self-role', 'Role'],
      ['self-role-binding', 'RoleBinding'],
      [agent.roleBindings[0]?.node.id, 'RoleBinding'],
      [agent.clusterRoleBindings[0]?.node.id, 'ClusterRoleBinding'],
      ['persistent-volume-claim', 'PersistentVolumeClaim'],
      ['network-policy', 'NetworkPolicy'],
      ['service', 'Service'],
      ['deployment', 'Deployment'],
      ['dashboard-service', 'Service'],
      ['dashboard-ingress', 'Ingress'],
    ]);
    expect(agent.roleBindings[0]?.node.id).toMatch(/^role-binding-hermes-mia-[0-9a-f]{8}$/);
    expect(agent.deployment?.name).toBe('hermes-mia');
    expect(agent.dashboardIngress?.name).toBe('hermes-mia-dashboard');
  });

  it('lets a child be patched', () => {
    const scope = chart();
    const agent = new HermesAgent(scope, 'mia', { metadata: { name: 'mia' }, spec: SPEC });
    agent.service?.addJsonPatch(JsonPatch.add('/spec/ipFamilyPolicy', 'PreferDualStack'));
    const service = (Testing.synth(scope) as { readonly kind: string; readonly spec?: object }[]).find(
      ({ kind }) => kind === 'Service',
    );
    expect(service?.spec).toHaveProperty('ipFamilyPolicy', 'PreferDualStack');
  });

  it('lets the controller of another namespace reach the dashboard', () => {
    const spec: HermesAgentSpec = {
      ...SPEC,
      dashboard: { enabled: true },
      networkPolicy: { enabled: true, policyTypes: ['Ingress'] },
    };
    const sources = (controllerNamespace?: string): string => {
      const props = {
        metadata: { name: 'mia' },
        spec,
        ...(controllerNamespace !== undefined && { controllerNamespace }),
      };
      return JSON.stringify(new HermesAgent(chart(), 'mia', props).networkPolicy?.toJson());
    };
    expect(sources()).toContain('{"kubernetes.io/metadata.name":"hermes-gitops-system"}');
    expect(sources('platform')).toContain('{"kubernetes.io/metadata.name":"platform"}');
    expect(sources('')).not.toContain('9119');
  });

  it('takes the namespace from its metadata before that of the chart', () => {
    const agent = new HermesAgent(chart(), 'mia', { metadata: { name: 'mia', namespace: 'ops' }, spec: SPEC });
    expect(agent.deployment?.metadata.namespace).toBe('ops');
  });

  it('reports every problem of every agent at once, and renders none of them', () => {
    const outdir = mkdtempSync(join(tmpdir(), 'hermes-construct-'));
    try {
      const app = new App({ outdir });
      const scope = new Chart(app, 'agents', { namespace: 'lab' });
      const one = new HermesAgent(scope, 'one', {
        metadata: { name: 'Mia' },
        spec: { ...SPEC, image: '', terminationGracePeriodSeconds: 5 },
      });
      new HermesAgent(scope, 'two', { metadata: { name: 'zoe' }, spec: { ...ALL } });
      expect(one.node.children).toEqual([]);
      expect(one.deployment).toBeUndefined();
      const lines = message(() => {
        app.synth();
      }).split('\n');
      expect(lines.filter((line) => line.includes('[agents/one] metadata.name: '))).toHaveLength(1);
      expect(lines.filter((line) => line.includes('[agents/one] spec.image: '))).toHaveLength(1);
      expect(lines.filter((line) => line.includes('[agents/one] spec.terminationGracePeriodSeconds: '))).toHaveLength(
        1,
      );
      expect(
        lines.filter((line) => line.includes('[agents/two] spec.rbac.clusterRoleBindings[0].roleRef')),
      ).toHaveLength(1);
    } finally {
      rmSync(outdir, { recursive: true, force: true });
    }
  });

  it('keeps what means something when it is empty', () => {
    const scope = chart();
    new HermesAgent(scope, 'mia', {
      metadata: { name: 'mia' },
      spec: {
        ...SPEC,
        volumes: [{ name: 'scratch', emptyDir: {} }],
        networkPolicy: { enabled: true, ingress: [{ from: [{ podSelector: {} }] }, {}] },
      },
    });
    const text = Yaml.stringify(...(Testing.synth(scope) as object[]));
    expect(text).toContain('emptyDir: {}');
    expect(text).toMatch(/ingress:\n +- from:\n +- podSelector: \{\}\n +- \{\}/);
  });
});

function message(action: () => void): string {
  try {
    action();
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
  return '';
}
