import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Phases in the order of `hermes_agent_phase`; every agent has a series for each. */
export const PHASES = ['Bootstrap', 'Provisioning', 'Ready', 'Degraded', 'Suspended'] as const;

/** Name of a queue, as its metrics call it. */
export type QueueName = 'hermesagent' | 'agentrun';

const AGENT = ['name', 'namespace'] as const;
const QUEUE = ['name', 'controller'] as const;
const CONTROLLER = ['controller'] as const;

/** From a question to a day of work, in seconds. */
const RUN_DURATIONS = [5, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21600, 86400];

/** From a cached image to a queue for nodes, in seconds. */
const STARTUP_DURATIONS = [1, 2, 5, 10, 30, 60, 120, 300, 600, 1800];

const DURATIONS = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60];

/** Every metric of the controller. Those of controller-runtime keep their names, so that known dashboards work. */
export interface MetricFamilies {
  readonly agentPhase: Gauge<'name' | 'namespace' | 'phase'>;
  readonly agentPodReady: Gauge<'name' | 'namespace'>;
  readonly agentGatewayReady: Gauge<'name' | 'namespace' | 'gateway_type'>;
  readonly dashboardProbeFailures: Counter<'name' | 'namespace'>;
  readonly agentInfo: Gauge<'name' | 'namespace' | 'image'>;
  readonly agentCondition: Gauge<'name' | 'namespace' | 'type' | 'status' | 'reason'>;
  readonly runPhase: Gauge<'namespace' | 'agent' | 'phase'>;
  readonly runDuration: Histogram<'phase'>;
  readonly runStartup: Histogram;
  readonly runReaped: Counter<'reason'>;
  readonly reconcileTotal: Counter<'controller' | 'result'>;
  readonly reconcileErrors: Counter<'controller'>;
  readonly reconcileTime: Histogram<'controller'>;
  readonly activeWorkers: Gauge<'controller'>;
  readonly maxConcurrent: Gauge<'controller'>;
  readonly queueDepth: Gauge<'name' | 'controller'>;
  readonly queueAdds: Counter<'name' | 'controller'>;
  readonly queueRetries: Counter<'name' | 'controller'>;
  readonly queueWait: Histogram<'name' | 'controller'>;
  readonly queueWork: Histogram<'name' | 'controller'>;
  readonly queueUnfinished: Gauge<'name' | 'controller'>;
  readonly queueLongest: Gauge<'name' | 'controller'>;
  readonly statusWrites: Counter;
  readonly watchRestarts: Counter<'resource' | 'cause'>;
  readonly watchErrors: Counter<'resource' | 'stage'>;
  readonly leader: Gauge<'name'>;
}

/** Declares every family in a registry. Names, helps and labels are part of the interface: docs list them. */
export function declareFamilies(registry: Registry): MetricFamilies {
  return {
    ...agentFamilies(registry),
    ...dashboardFamilies(registry),
    ...runFamilies(registry),
    ...reconcileFamilies(registry),
    ...queueFamilies(registry),
    ...clientFamilies(registry),
  };
}

function agentFamilies(
  registry: Registry,
): Pick<MetricFamilies, 'agentPhase' | 'agentPodReady' | 'agentInfo' | 'agentCondition'> {
  const registers = [registry];
  return {
    agentPhase: new Gauge({
      name: 'hermes_agent_phase',
      help: 'Phase of an agent: 1 for the one it is in, 0 for the others.',
      labelNames: [...AGENT, 'phase'],
      registers,
    }),
    agentPodReady: new Gauge({
      name: 'hermes_agent_pod_ready',
      help: 'Whether the pod of an agent is ready.',
      labelNames: AGENT,
      registers,
    }),
    agentInfo: new Gauge({
      name: 'hermes_agent_info',
      help: 'Facts about an agent as labels; always 1.',
      labelNames: [...AGENT, 'image'],
      registers,
    }),
    agentCondition: new Gauge({
      name: 'hermes_agent_condition',
      help: 'Condition of an agent: always 1, for the status and reason that it has now.',
      labelNames: [...AGENT, 'type', 'status', 'reason'],
      registers,
    }),
  };
}

function dashboardFamilies(registry: Registry): Pick<MetricFamilies, 'agentGatewayReady' | 'dashboardProbeFailures'> {
  const registers = [registry];
  return {
    agentGatewayReady: new Gauge({
      name: 'hermes_agent_gateway_ready',
      help: 'Whether a declared gateway is connected, by the last answer of the dashboard.',
      labelNames: [...AGENT, 'gateway_type'],
      registers,
    }),
    dashboardProbeFailures: new Counter({
      name: 'hermes_agent_dashboard_probe_failures_total',
      help: 'Times that the dashboard of an agent gave no usable answer.',
      labelNames: AGENT,
      registers,
    }),
  };
}

function runFamilies(
  registry: Registry,
): Pick<MetricFamilies, 'runPhase' | 'runDuration' | 'runStartup' | 'runReaped'> {
  const registers = [registry];
  return {
    runPhase: new Gauge({
      name: 'hermes_agentrun_phase',
      help: 'Runs that there are, by phase; the agent is empty for runs with an image of their own.',
      labelNames: ['namespace', 'agent', 'phase'],
      registers,
    }),
    runDuration: new Histogram({
      name: 'hermes_agentrun_duration_seconds',
      help: 'From the start to the end of a run, by the phase that it ended in.',
      labelNames: ['phase'],
      buckets: RUN_DURATIONS,
      registers,
    }),
    runStartup: new Histogram({
      name: 'hermes_agentrun_startup_seconds',
      help: 'From the creation of a run to the start of its pod.',
      buckets: STARTUP_DURATIONS,
      registers,
    }),
    runReaped: new Counter({
      name: 'hermes_agentrun_reaped_total',
      help: 'Workloads that were stopped (StartFailed, Finished, Restarted) and runs that were deleted (TTL).',
      labelNames: ['reason'],
      registers,
    }),
  };
}

function reconcileFamilies(
  registry: Registry,
): Pick<
  MetricFamilies,
  'reconcileTotal' | 'reconcileErrors' | 'reconcileTime' | 'activeWorkers' | 'maxConcurrent' | 'statusWrites'
> {
  const registers = [registry];
  return {
    reconcileTotal: new Counter({
      name: 'controller_runtime_reconcile_total',
      help: 'Passes over an object, by result.',
      labelNames: [...CONTROLLER, 'result'],
      registers,
    }),
    reconcileErrors: new Counter({
      name: 'controller_runtime_reconcile_errors_total',
      help: 'Passes over an object that failed.',
      labelNames: CONTROLLER,
      registers,
    }),
    reconcileTime: new Histogram({
      name: 'controller_runtime_reconcile_time_seconds',
      help: 'Length of a pass over an object.',
      labelNames: CONTROLLER,
      buckets: DURATIONS,
      registers,
    }),
    activeWorkers: new Gauge({
      name: 'controller_runtime_active_workers',
      help: 'Passes that are under way.',
      labelNames: CONTROLLER,
      registers,
    }),
    maxConcurrent: new Gauge({
      name: 'controller_runtime_max_concurrent_reconciles',
      help: 'Most passes that may be under way at one time.',
      labelNames: CONTROLLER,
      registers,
    }),
    statusWrites: new Counter({
      name: 'hermes_gitops_status_writes_total',
      help: 'Status writes that the API server accepted.',
      registers,
    }),
  };
}

function queueFamilies(
  registry: Registry,
): Pick<
  MetricFamilies,
  'queueDepth' | 'queueAdds' | 'queueRetries' | 'queueWait' | 'queueWork' | 'queueUnfinished' | 'queueLongest'
> {
  const common = { labelNames: QUEUE, registers: [registry] };
  return {
    queueDepth: new Gauge({ name: 'workqueue_depth', help: 'Keys that wait.', ...common }),
    queueAdds: new Counter({ name: 'workqueue_adds_total', help: 'Keys that were added.', ...common }),
    queueRetries: new Counter({ name: 'workqueue_retries_total', help: 'Keys that are tried again.', ...common }),
    queueWait: new Histogram({
      name: 'workqueue_queue_duration_seconds',
      help: 'How long a key waited before it was handled.',
      buckets: DURATIONS,
      ...common,
    }),
    queueWork: new Histogram({
      name: 'workqueue_work_duration_seconds',
      help: 'How long handling a key took.',
      buckets: DURATIONS,
      ...common,
    }),
    queueUnfinished: new Gauge({
      name: 'workqueue_unfinished_work_seconds',
      help: 'Seconds of work in hand, summed over all keys in hand.',
      ...common,
    }),
    queueLongest: new Gauge({
      name: 'workqueue_longest_running_processor_seconds',
      help: 'Seconds of work on the key that has been in hand longest.',
      ...common,
    }),
  };
}

function clientFamilies(registry: Registry): Pick<MetricFamilies, 'watchRestarts' | 'watchErrors' | 'leader'> {
  const registers = [registry];
  return {
    watchRestarts: new Counter({
      name: 'hermes_gitops_watch_restarts_total',
      help: 'Watches that ended and were opened again, by what ended them.',
      labelNames: ['resource', 'cause'],
      registers,
    }),
    watchErrors: new Counter({
      name: 'hermes_gitops_watch_errors_total',
      help: 'Failures of lists, watches and their handlers.',
      labelNames: ['resource', 'stage'],
      registers,
    }),
    leader: new Gauge({
      name: 'leader_election_master_status',
      help: 'Whether this process leads: 1, or stands by: 0.',
      labelNames: ['name'],
      registers,
    }),
  };
}
