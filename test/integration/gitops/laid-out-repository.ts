import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { init } from '../../../cli/init.js';
import { synth } from '../../../cli/synth.js';
import type { DeliveryStatus, GitOpsEngine, HostedRepository } from '../../cluster/engines/engine.js';
import { waitFor } from '../../cluster/wait.js';
import { bareAgent } from '../../support/agents-on-bed.js';
import type { GitOpsBed } from './gitops-bed.js';

/** A repository as `init` writes it, and what its README has people do. */
export class LaidOutRepository {
  readonly #engine: GitOpsEngine;
  readonly #hosted: HostedRepository;
  readonly #namespace: string;
  readonly #folder: string;
  #revision = '';

  private constructor(engine: GitOpsEngine, hosted: HostedRepository, namespace: string) {
    this.#engine = engine;
    this.#hosted = hosted;
    this.#namespace = namespace;
    this.#folder = mkdtempSync(join(tmpdir(), 'hermes-laid-out-'));
  }

  /** Lays one out for the namespace, which need not be there, and has the engine sync it. */
  static async start(bed: GitOpsBed, engine: GitOpsEngine, namespace: string): Promise<LaidOutRepository> {
    const hosted = await engine.host(`init-${namespace}`);
    const repository = new LaidOutRepository(engine, hosted, namespace);
    const flux = engine.name === 'Flux';
    const options = { folder: '.', flux, argocd: !flux, repo: hosted.url, branch: 'main', path: '.', namespace };
    repository.#expectDone(init(options, repository.#printer, repository.#folder));
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
    const path = join(this.#folder, 'agents', `${namespace}-${name}.yaml`);
    if (spec === undefined) rmSync(path);
    else writeFileSync(path, stringify(bareAgent(name, namespace, spec)));
  }

  /** Adds a namespace as the README says. */
  addNamespace(namespace: string): void {
    const gitops = join(this.#folder, 'gitops');
    cpSync(join(gitops, this.#namespace), join(gitops, namespace), { recursive: true });
    for (const file of readdirSync(join(gitops, namespace))) {
      const path = join(gitops, namespace, file);
      writeFileSync(path, readFileSync(path, 'utf8').replaceAll(this.#namespace, namespace));
    }
    const list = join(gitops, 'kustomization.yaml');
    const { resources, ...rest } = parse(readFileSync(list, 'utf8')) as { readonly resources: readonly string[] };
    writeFileSync(list, stringify({ ...rest, resources: [...resources, namespace] }));
    const runs = (each: string): string => join(this.#folder, 'rendered', each, 'runs');
    cpSync(runs(this.#namespace), runs(namespace), { recursive: true });
  }

  /** Renders, commits and tells the engine. */
  async push(allowedClusterRoles: readonly string[] = []): Promise<void> {
    const options = {
      inputs: ['agents'],
      output: 'rendered',
      layout: 'FILE_PER_CHART',
      check: false,
      prune: true,
      flux: this.#engine.name === 'Flux',
      controllerNamespace: 'hermes-gitops-system',
      format: 'text',
      allowedClusterRoles,
      allowedBindingNamespaces: [],
    } as const;
    this.#expectDone(await synth(options, this.#printer, this.#folder));
    this.#revision = await this.#hosted.commit(this.#tree());
    await this.#hosted.announce();
  }

  /** Waits for what the engine says of the agents or the runs of a namespace at the newest revision. */
  async until(
    namespace: string,
    unit: 'agents' | 'runs',
    holds: (status: DeliveryStatus) => boolean,
  ): Promise<DeliveryStatus> {
    let last: DeliveryStatus | undefined;
    const what = `the ${unit} of ${namespace}`;
    try {
      return await waitFor(
        async () => {
          last = await this.#engine.statusOf(`hermes-${namespace}-${unit}`);
          return last.revision === this.#revision && holds(last) && last;
        },
        { what, timeoutMs: 60_000 },
      );
    } catch (error) {
      throw new Error(`${what} at ${this.#revision}: ${JSON.stringify(last)}`, { cause: error });
    }
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
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
