import type { ValidRun } from '../api/agent-run.js';
import { type FormerRun, readFormerRun } from '../runs/former-run.js';
import { type Neighbours, resolveRun } from '../runs/resolve-run.js';
import { withWorkloadDigest } from '../runs/workload-digest.js';
import type { PathSegment, Problem, SourcePosition } from '../validation/problem.js';
import { HEADER_MARK, manifestHeader } from './header.js';
import { runFilePath } from './layout.js';
import { type FleetOptions, identityOf, type RenderedUnit, type RunName } from './rendered-agent.js';
import { toYaml } from './yaml.js';

/** A valid run, and where it was written. */
export interface SourcedRun {
  readonly run: ValidRun;
  /** The file, as messages and headers call it. */
  readonly file: string;
  /** Where a field of it stands; its name without one. A function, because to find out takes time. */
  readonly position: (path?: readonly PathSegment[]) => SourcePosition;
}

/** A run in its file when nothing is wrong with it, and everything that is, with its place. */
export interface RenderedRun {
  readonly rendered?: RenderedUnit;
  readonly problems: readonly Problem[];
}

/** Renders one run to its file, or keeps what is there. */
export function renderRunFile(sourced: SourcedRun, neighbours: Neighbours, options: FleetOptions): RenderedRun {
  const { run, file } = sourced;
  const { children, problems } = resolveRun(run, options.former?.(run), neighbours, options);
  if (children === undefined) return { problems: located(problems, sourced) };
  const { agentRun, workload, workloadText } = children;
  const header = manifestHeader([file]);
  const body = `---\n${toYaml(agentRun)}---\n${workloadText ?? toYaml(withWorkloadDigest(workload))}`;
  const rendered: RenderedUnit = {
    kind: 'run',
    namespace: run.namespace,
    name: run.name,
    source: file,
    identities: [identityOf(agentRun), identityOf(workload)],
    files: [
      {
        path: runFilePath(run),
        content: new TextEncoder().encode(header + body),
        headerLength: Buffer.byteLength(header),
      },
    ],
  };
  return { rendered, problems: [] };
}

/**
 * The runs of an output folder, for {@link FleetOptions.former}. `read` gives what is at a path below the folder, and
 * `folder` is what messages call it; a file that somebody else has written counts as none.
 */
export function formerRuns(
  read: (path: string) => Uint8Array | undefined,
  folder: string,
): NonNullable<FleetOptions['former']> {
  return (run) => {
    const path = runFilePath(run);
    const bytes = read(path);
    return bytes && formerRunIn({ name: `${folder}/${path}`, bytes }, run);
  };
}

/** What a run was rendered to by its file; a file that somebody else has written says nothing. */
export function formerRunIn(
  { name, bytes }: { readonly name: string; readonly bytes: Uint8Array },
  run: RunName,
): FormerRun | undefined {
  return isOurs(bytes) ? readFormerRun(bytes, run, name) : undefined;
}

/** The header may stand below the mark of a merge conflict. */
function isOurs(bytes: Uint8Array): boolean {
  return `\n${Buffer.from(bytes).toString('utf8')}`.includes(`\n${HEADER_MARK}`);
}

function located(problems: readonly Problem[], { position }: SourcedRun): readonly Problem[] {
  return problems.map((problem) => ({ ...problem, position: problem.position ?? position(problem.path) }));
}
