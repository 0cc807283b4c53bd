import { Chart, JsonPatch } from 'cdk8s';
import { ConfigMap, Namespace } from 'cdk8s-plus-28';
import type { Construct } from 'constructs';
import { HermesAgent } from '../lib/index.js';

/** A namespace with one agent, its settings beside it, and two changes to what the agent renders. */
export class ExampleChart extends Chart {
  readonly agent: HermesAgent;

  constructor(scope: Construct, id: string) {
    super(scope, id, { namespace: 'support', disableResourceNameHashes: true });
    new Namespace(this, 'namespace', { metadata: { name: 'support' } });

    const settings = new ConfigMap(this, 'settings', {
      metadata: { name: 'mia-settings' },
      data: { LOG_LEVEL: 'info' },
    });

    this.agent = new HermesAgent(this, 'mia', {
      metadata: { name: 'mia' },
      spec: {
        image: 'registry.example.net/hermes:v1.4.2',
        storage: {
          persistentVolumeClaim: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '5Gi' } } },
        },
        envFrom: [{ configMapRef: { name: settings.name } }],
        gateways: [
          {
            type: 'discord',
            env: [{ name: 'DISCORD_BOT_TOKEN', valueFrom: { secretKeyRef: { name: 'mia-discord', key: 'token' } } }],
          },
        ],
      },
    });

    // What the spec has no field for is patched where it is rendered.
    this.agent.service?.addJsonPatch(JsonPatch.add('/spec/ipFamilyPolicy', 'PreferDualStack'));
    this.agent.deployment?.metadata.addAnnotation('example.net/owner', 'support');
    this.agent.deployment?.addDependency(settings);
  }
}
