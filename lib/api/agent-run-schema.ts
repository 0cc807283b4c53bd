import type { JsonSchema } from './json-schema.js';
import { MAX_AGENT_NAME_LENGTH } from '../names.js';
import { list, listMap, native } from './schema-parts.js';

const words = (maxItems: number, description: string): JsonSchema =>
  list({ type: 'string', maxLength: 131072 }, maxItems, description);

/** The spec of an AgentRun. Order here is the order of the documentation. */
export const agentRunSpecSchema: JsonSchema = {
  type: 'object',
  description: 'The run as it should be. It cannot be changed: another run needs another name.',
  properties: {
    agentRef: {
      type: 'object',
      description:
        'The agent whose image, pull secrets, service account, variables, resources and scheduling the run takes over. Exactly one of this and image.',
      required: ['name'],
      properties: {
        name: {
          type: 'string',
          description: 'Name of a HermesAgent of the same namespace.',
          minLength: 1,
          maxLength: MAX_AGENT_NAME_LENGTH,
          pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
        },
      },
    },
    image: {
      type: 'string',
      description: 'Image of a run that belongs to no agent. Exactly one of this and agentRef.',
      minLength: 1,
      maxLength: 1024,
    },
    instructions: {
      type: 'string',
      description: 'What the agent is to do. Required unless args or command say it.',
      maxLength: 131072,
    },
    command: words(256, "Replaces the image's entry point."),
    args: words(256, 'Replaces the arguments chat -Q -q <instructions>, which run the instructions once.'),
    env: listMap(native('EnvVar'), ['name'], 512, 'Variables of the run. They win over those of the agent.'),
    envFrom: list(native('EnvFromSource'), 64, 'Sources of variables, after those of the agent.'),
    resources: native('ResourceRequirements', {
      description: "Requests and limits of the run's container, in place of those of the agent.",
    }),
    volumes: listMap(
      native('Volume'),
      ['name'],
      64,
      'Volumes of the pod. One called data takes the place of the empty directory at /opt/data.',
    ),
    volumeMounts: listMap(native('VolumeMount'), ['mountPath'], 64, "More mounts of the run's container."),
    workload: {
      type: 'string',
      description: 'What the run is executed as. Sandbox needs kubernetes-sigs/agent-sandbox in the cluster.',
      enum: ['Job', 'Sandbox'],
      default: 'Job',
    },
    startupDeadlineSeconds: {
      type: 'integer',
      format: 'int32',
      description:
        'Time for the container to start, after which the run fails; 0 for no limit. Defaults to --agentrun-startup-deadline of the controller.',
      minimum: 0,
    },
    activeDeadlineSeconds: {
      type: 'integer',
      format: 'int64',
      description: 'Time for the whole run, after which Kubernetes ends it.',
      minimum: 1,
      maximum: 2147483647,
    },
    ttlSecondsAfterFinished: {
      type: 'integer',
      format: 'int32',
      description:
        'Time after which a finished run is deleted, unless a GitOps engine or another manager has marked it as its own.',
      minimum: 0,
    },
  },
  'x-kubernetes-validations': [
    { rule: 'self == oldSelf', message: 'a run is final: use a new name for a new run', reason: 'FieldValueForbidden' },
    { rule: 'has(self.agentRef) != has(self.image)', message: 'exactly one of agentRef and image has to be set' },
    {
      rule:
        "(has(self.instructions) && self.instructions != '') || (has(self.args) && self.args.size() > 0) || " +
        '(has(self.command) && self.command.size() > 0)',
      message: 'one of instructions, args and command has to be set',
      reason: 'FieldValueRequired',
    },
  ],
};
