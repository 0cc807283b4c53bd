import { API_VERSION, RUN_KIND } from '../lib/api/identity.js';
import type { ResolvedAgent } from '../lib/api/hermes-agent.js';
import type { RunChildren } from '../lib/children/run/render-run.js';
import { toYamlStream } from '../lib/emit/yaml.js';
import { neighboursOf } from '../lib/runs/neighbours.js';
import { resolveRun } from '../lib/runs/resolve-run.js';
import { resolveStoredAgent } from '../lib/validation/validate-agent.js';
import { validateRun } from '../lib/validation/validate-run.js';
import type { KubeApi } from '../controller/kube/client.js';
import { hasStatusCode } from '../controller/kube/errors.js';
import { kubeconfigNamespace } from '../controller/kube/kubeconfig.js';
import { objectPath, RESOURCES } from '../controller/kube/resources.js';
import type { StreamApi } from '../controller/kube/watch.js';
import { withCluster } from './cluster/connect.js';
import { EXIT, type ExitCode, UsageError } from './exit-codes.js';
import { hasErrors, type Printer, problemLine } from './report.js';
import { createRun, generatedName } from './run/create.js';
import type { RunOptions } from './run/options.js';
import { waitForRun } from './run/wait.js';

/** Renders a run of an agent of the cluster and creates it there, or prints it. */
export function run(options: RunOptions, printer: Printer): Promise<ExitCode> {
  if (options.output !== undefined && options.wait) throw new UsageError('-o prints and creates nothing to --wait for');
  if (!(options.timeout >= 0)) throw new UsageError('--timeout has to be a number of seconds, 0 or more');
  return withCluster(options, (client) => runIn(client, options, printer));
}

/** {@link run} with the API server of the cluster. */
export async function runIn(api: KubeApi & StreamApi, options: RunOptions, printer: Printer): Promise<ExitCode> {
  const namespace = options.namespace ?? kubeconfigNamespace(options.kubeconfig, options.context);
  const agent = await readAgent(api, namespace, options.agent);
  if (typeof agent === 'string') {
    printer.err(`error: ${agent}`);
    return EXIT.invalid;
  }
  const children = render(agent, options, printer);
  if (children === undefined) return EXIT.invalid;
  if (options.output === 'yaml') {
    printer.out(toYamlStream([children.agentRun, children.workload]).trimEnd());
    return EXIT.done;
  }
  const created = await createRun(api, children.agentRun, children.workload);
  printer.out(`agentrun ${created.namespace}/${created.name} created`);
  if (!options.wait) return EXIT.done;
  const code = await waitForRun(api, created, options.timeout, printer.out);
  if (code === EXIT.timedOut) printer.err(`error: not over after ${options.timeout} s; the run goes on`);
  return code;
}

/** The agent as it is stored, or why there is none. */
async function readAgent(api: KubeApi, namespace: string, name: string): Promise<ResolvedAgent | string> {
  try {
    const live = await api.request({ method: 'GET', path: objectPath(RESOURCES.agents, { namespace, name }) });
    return (
      resolveStoredAgent(live as Readonly<Record<string, unknown>>) ??
      `the stored spec of HermesAgent ${namespace}/${name} is not valid; its status says why`
    );
  } catch (error) {
    if (!hasStatusCode(error, 404)) throw error;
    return `no HermesAgent ${namespace}/${name} in the cluster; name its namespace with -n`;
  }
}

function render(agent: ResolvedAgent, options: RunOptions, printer: Printer): RunChildren | undefined {
  const { startupDeadline, activeDeadline, ttl, workload, instructions } = options;
  const { run: valid, problems } = validateRun(
    {
      apiVersion: API_VERSION,
      kind: RUN_KIND,
      metadata: { name: options.name ?? generatedName(agent.name), namespace: agent.namespace },
      spec: {
        agentRef: { name: agent.name },
        instructions,
        ...(workload === 'Sandbox' && { workload }),
        ...(startupDeadline !== undefined && { startupDeadlineSeconds: startupDeadline }),
        ...(activeDeadline !== undefined && { activeDeadlineSeconds: activeDeadline }),
        ...(ttl !== undefined && { ttlSecondsAfterFinished: ttl }),
      },
    },
    // Nothing substitutes in what is created here.
    { flux: options.output === undefined },
  );
  const resolution = valid && resolveRun(valid, undefined, neighboursOf([agent]));
  const all = [...problems, ...(resolution?.problems ?? [])];
  for (const problem of all) printer.err(problemLine(problem));
  return hasErrors(all) ? undefined : resolution?.children;
}
