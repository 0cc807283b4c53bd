import type { AgentCache } from '../cache/agent-cache.js';
import { keepAgent } from '../cache/transforms.js';
import type { KubeApi } from '../kube/client.js';
import { describeError, hasStatusCode, KubeStatusError } from '../kube/errors.js';
import type { RecordEvent } from '../kube/event-recorder.js';
import type { StoredAgent } from '../kube/objects.js';
import { deleteRequest } from '../kube/object-requests.js';
import type { ObjectWriter } from '../kube/object-writer.js';
import type { AgentFinalizer } from './agent-finalizer.js';
import { blockedStatus } from './blocked-status.js';
import { FinalizerHold, holds, isGivenUp, isRefusal, RETRY_MS } from './hold.js';
import type { ReadBindings } from './live-bindings.js';
import { describeChild, ownedChildren, type OwnedChild } from './owned-children.js';
import type { FinalizeResult } from './object-finalizer.js';
import { unreachableBindings } from './unreachable-bindings.js';
import { unreadBindings } from './unread-bindings.js';

export interface FinalizerParts {
  readonly api: KubeApi;
  readonly cache: Pick<AgentCache, 'related' | 'covers'>;
  readonly writer: ObjectWriter;
  readonly readBindings: ReadBindings;
  readonly record: RecordEvent;
  /** Whether the HermesAgent CRD itself is being deleted. */
  readonly isCrdGoing: () => Promise<boolean>;
}

/** Until the watch has most likely shown what an answer said. */
const STALE_MS = 500;

interface FailedChild {
  readonly child: OwnedChild;
  readonly error: unknown;
}

/**
 * Deletes what was rendered for an agent and then lets the agent go. Every step can be repeated: a delete that was done
 * before finds nothing, or an object with another uid, and passes. No delete is waited for, so that a child with a
 * finalizer of somebody else holds up nobody.
 */
export class DeletingFinalizer implements AgentFinalizer {
  readonly #parts: FinalizerParts;
  readonly #hold: FinalizerHold<StoredAgent>;

  constructor(parts: FinalizerParts) {
    this.#parts = parts;
    this.#hold = new FinalizerHold({ ...parts, keep: keepAgent });
  }

  ensure(agent: StoredAgent): Promise<StoredAgent> {
    return this.#hold.ensure(agent);
  }

  async finalize(agent: StoredAgent): Promise<FinalizeResult> {
    if (!holds(agent)) return { kind: 'released' };
    if (await this.#parts.isCrdGoing()) {
      this.#warn(
        agent,
        'ChildrenKept',
        'the CustomResourceDefinition is being deleted: children and claims are left alone',
      );
      return this.#release(agent);
    }
    const { name, namespace = '' } = agent.metadata;
    const { items: bindings, refused } = await this.#parts.readBindings(agent);
    const related = this.#parts.cache.related({ name, namespace });
    const failed = await this.#deleteAll(ownedChildren(agent, { ...related, bindings }));
    const unread = refused.length === 0 ? undefined : unreadBindings(agent, refused, ownedChildren(agent, related));
    const required = failed.filter(({ child }) => child.isRequired);
    if (required.length > 0 || unread !== undefined) return this.#retryRequired(agent, required, unread);
    if (failed.length > 0 && !isGivenUp(agent, this.#parts.api.now())) return { kind: 'again', afterMs: RETRY_MS };
    if (failed.length > 0) this.#warn(agent, 'ChildrenKept', `given up: ${describeFailures(failed)}`);
    const unreachable = unreachableBindings(agent, (scope) => this.#parts.cache.covers(scope));
    if (unreachable !== undefined) this.#warn(agent, 'BindingsKept', unreachable);
    return this.#release(agent);
  }

  async #deleteAll(children: readonly OwnedChild[]): Promise<FailedChild[]> {
    const failed: FailedChild[] = [];
    for (const child of children) {
      try {
        await this.#delete(child);
      } catch (error) {
        failed.push({ child, error });
      }
    }
    return failed;
  }

  async #delete({ resource, metadata, isRequired }: OwnedChild): Promise<void> {
    if (metadata.deletionTimestamp !== undefined) return;
    try {
      await this.#parts.api.request(deleteRequest(resource, metadata));
    } catch (error) {
      // Gone already, or gone and made again by an engine: either way this one is no more.
      if (hasStatusCode(error, 404)) return;
      // But its successor may have been made before the agent was deleted, and then the cache does not show it yet.
      if (!hasStatusCode(error, 409) || isRequired) throw error;
    }
  }

  #retryRequired(
    agent: StoredAgent,
    failed: readonly FailedChild[],
    unread: string | undefined,
  ): Promise<FinalizeResult> | FinalizeResult {
    const refused = failed.filter(({ error }) => isRefusal(error) && !hasStatusCode(error, 409));
    const undeleted = refused.length === 0 ? [] : [`bindings cannot be deleted: ${describeFailures(refused)}`];
    const inTheWay = [...undeleted, ...(unread === undefined ? [] : [unread])];
    if (inTheWay.length > 0) return this.#block(agent, inTheWay.join('; '));
    const failure = failed.find(({ error }) => !hasStatusCode(error, 409));
    // A server that is away or overloaded is nothing that the owner of the agent could change.
    if (failure !== undefined) throw failure.error;
    return { kind: 'again', afterMs: STALE_MS };
  }

  /** Rights that outlive their agent are a hole, so this is retried for as long as it takes, in plain sight. */
  async #block(agent: StoredAgent, message: string): Promise<FinalizeResult> {
    this.#warn(agent, 'DeleteBlocked', message);
    const status = blockedStatus(agent, message, this.#parts.api.now());
    if (status !== undefined) {
      try {
        await this.#parts.writer.applyStatus(agent, status);
      } catch (error) {
        if (!(error instanceof KubeStatusError)) throw error;
      }
    }
    return { kind: 'again', afterMs: RETRY_MS };
  }

  async #release(agent: StoredAgent): Promise<FinalizeResult> {
    await this.#hold.release(agent);
    return { kind: 'released' };
  }

  #warn(agent: StoredAgent, reason: string, note: string): void {
    this.#parts.record(agent, { type: 'Warning', reason, action: 'Finalize', note });
  }
}

function describeFailures(failed: readonly FailedChild[]): string {
  return failed
    .map(({ child, error }) => `${describeChild(child)} (${describeError(error)})`)
    .sort()
    .join(', ');
}
