import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { init } from '../../../cli/init.js';
import { pruneRuns } from '../../../cli/runs/prune.js';
import { synth } from '../../../cli/synth.js';
import { EXAMPLE_AGENT } from '../../../lib/bootstrap/example-agent.js';
import { passesOver, untilSynced } from '../../cluster/engines/delivery.js';
import {
  type DeliveryStatus,
  type GitOpsEngine,
  type HostedRepository,
  SYNC_INTERVAL_SECONDS,
  type SyncedUnit,
} from '../../cluster/engines/engine.js';
import { bareAgent } from '../../support/agents-on-bed.js';
import type { NewerRenderer } from '../../support/newer-renderer.js';
import type { GitOpsBed } from './gitops-bed.js';

/** What an engine is pointed at: the agents or the runs of a namespace. */
type Unit = 'agents' | 'runs';

/** How a commit is rendered. */
interface PushOptions {
  readonly allowedClusterRoles?: readonly string[];
  /** Renders in place of the command line as it is. */
  readonly renderer?: NewerRenderer;
}

/** A repository as `init` writes it, and what its README has people do. */
export class LaidOutRepository {
  readonly #bed: GitOpsBed;
  readonly #engine: GitOpsEngine;
  readonly #hosted: HostedRepository;
  readonly #namespace: string;
  readonly #folder: string;
  #revision = '';

  private constructor(bed: GitOpsBed, engine: GitOpsEngine, hosted: HostedRepository, namespace: string) {
    this.#bed = bed;
    this.#engine = engine;
    this.#hosted = hosted;
    this.#namespace = namespace;
    this.#folder = mkdtempSync(join(tmpdir(), 'hermes-laid-out-'));
  }

  /** Lays one out for the namespace, which need not be there, and has the engine sync it. */
  static async start(bed: GitOpsBed, engine: GitOpsEngine, namespace: string): Promise<LaidOutRepository> {
    const hosted = await engine.host(`init-${namespace}`);
    const repository = new LaidOutRepository(bed, engine, hosted, namespace);
    const flux = engine.name === 'Flux';
    const options = { folder: '.', flux, argocd: !flux, repo: hosted.url, branch: 'main', path: '.', namespace };
    repository.#expectDone(init(options, repository.#printer, repository.#folder));
    repository.#hurry();
    repository.#revision = await hosted.commit(repository.#tree());
    await bed.kubectl(['apply', '--kustomize', join(repository.#folder, 'gitops')]);
    await hosted.announce();
    return repository;
  }

  readonly #output: string[] = [];
  readonly #printer = {
    out: (text: string) => this.#output.push(text),
    err: (text: string) => this.#output.push(text),
  };

  /** Writes an agent, or takes it away, without a spec. */
  write(namespace: string, name: string, spec: object | undefined): void {
    const isExample = namespace === this.#namespace && name === EXAMPLE_AGENT;
    const path = join(this.#folder, 'agents', isExample ? `${name}.yaml` : `${namespace}-${name}.yaml`);
    if (spec === undefined) rmSync(path);
    else writeFileSync(path, stringify(bareAgent(name, namespace, spec)));
  }

  /** Writes a run, or takes it away, without a spec. */
  writeRun(name: string, spec: object | undefined): void {
    const path = join(this.#folder, 'agents', `run-${name}.yaml`);
    const run = {
      apiVersion: 'hermes-gitops.dev/v1alpha1',
      kind: 'AgentRun',
      metadata: { name, namespace: this.#namespace },
      spec: { instructions: 'Sum up.', ...spec },
    };
    if (spec === undefined) rmSync(path);
    else writeFileSync(path, stringify(run));
  }

  /** Takes the runs that are over in the cluster out of the inputs; resolves with what the command printed. */
  async pruneRuns(): Promise<readonly string[]> {
    const printed: string[] = [];
    const printer = { out: (text: string) => printed.push(text), err: (text: string) => printed.push(text) };
    const { kubeconfig } = this.#bed.cluster;
    await pruneRuns({ inputs: ['agents'], kubeconfig, dryRun: false }, printer, this.#folder);
    return printed.sort();
  }

  /** Adds a namespace as the README says. */
  addNamespace(namespace: string): void {
    const gitops = join(this.#folder, 'gitops');
    cpSync(join(gitops, this.#namespace), join(gitops, namespace), { recursive: true });
    for (const [file, name] of [
      ['namespace.yaml', namespace],
      ['agents.yaml', `hermes-${namespace}-agents`],
      ['runs.yaml', `hermes-${namespace}-runs`],
    ] as const) {
      const path = join(gitops, namespace, file);
      const { metadata, ...rest } = parse(readFileSync(path, 'utf8')) as { readonly metadata: object };
      const text = stringify({ ...rest, metadata: { ...metadata, name } });
      writeFileSync(path, text.replace(`rendered/${this.#namespace}/`, `rendered/${namespace}/`));
    }
    const list = join(gitops, 'kustomization.yaml');
    const { resources, ...rest } = parse(readFileSync(list, 'utf8')) as { readonly resources: readonly string[] };
    writeFileSync(list, stringify({ ...rest, resources: [...resources, namespace] }));
    const runs = (each: string): string => join(this.#folder, 'rendered', each, 'runs');
    cpSync(runs(this.#namespace), runs(namespace), { recursive: true });
  }

  /** Renders, commits and tells the engine. */
  async push({ allowedClusterRoles = [], renderer }: PushOptions = {}): Promise<void> {
    const flux = this.#engine.name === 'Flux';
    if (renderer === undefined) await this.#synth(allowedClusterRoles, flux);
    else await renderer.run(['synth', 'agents', '--output=rendered', '--prune', `--flux=${flux}`], this.#folder);
    this.#revision = await this.#hosted.commit(this.#tree());
    await this.#hosted.announce();
  }

  async #synth(allowedClusterRoles: readonly string[], flux: boolean): Promise<void> {
    const options = {
      inputs: ['agents'],
      output: 'rendered',
      layout: 'FILE_PER_CHART',
      check: false,
      prune: true,
      flux,
      controllerNamespace: 'hermes-gitops-system',
      format: 'text',
      allowedClusterRoles,
      allowedBindingNamespaces: [],
    } as const;
    this.#expectDone(await synth(options, this.#printer, this.#folder));
  }

  /** Waits for what the engine says of the agents or the runs of a namespace at the newest revision. */
  until(namespace: string, unit: Unit, holds: (status: DeliveryStatus) => boolean): Promise<DeliveryStatus> {
    return untilSynced(this.#unit(namespace, unit), this.#revision, { what: 'as it is to be', holds });
  }

  /** Waits for so many passes of the engine over the agents or the runs; resolves with what it said after each. */
  passes(namespace: string, unit: Unit, count: number): Promise<readonly DeliveryStatus[]> {
    return passesOver(this.#unit(namespace, unit), count);
  }

  #unit(namespace: string, unit: Unit): SyncedUnit {
    return this.#engine.unit(`hermes-${namespace}-${unit}`);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** Nobody wants to wait ten minutes for the next look of Flux in a test. */
  #hurry(): void {
    for (const unit of ['agents.yaml', 'runs.yaml']) {
      const path = join(this.#folder, 'gitops', this.#namespace, unit);
      const text = readFileSync(path, 'utf8').replace(
        /^( {2}(?:interval|retryInterval)): .*$/gm,
        `$1: ${SYNC_INTERVAL_SECONDS}s`,
      );
      writeFileSync(path, text);
    }
  }

  #tree(): ReadonlyMap<string, Uint8Array> {
    const files = readdirSync(this.#folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
    return new Map(
      files.map(({ parentPath, name }) => {
        const path = join(parentPath, name);
        return [path.slice(this.#folder.length + 1), readFileSync(path)];
      }),
    );
  }

  #expectDone(code: number): void {
    if (code !== 0) throw new Error(`exit code ${code}: ${this.#output.join('\n')}`);
  }
}
