import { waitFor } from '../wait.js';
import type { Delivery, DeliveryStatus, SyncedUnit, Tree } from './engine.js';

/** The part of a delivery that differs from engine to engine. */
export interface DeliveryPort {
  readonly unit: SyncedUnit;
  publish(files: Tree): Promise<string>;
  comparison(): Promise<ReadonlyMap<string, boolean>>;
}

const TIMEOUT_MS = 120_000;

/** Adds the waiting, which is the same for all engines. */
export function deliveryOf({ unit, ...port }: DeliveryPort): Delivery {
  let newest: string | undefined;
  const until = (what: string, holds: (status: DeliveryStatus) => boolean): Promise<DeliveryStatus> =>
    untilSynced(unit, newest, { what, holds });
  return {
    publish: async (files) => {
      newest = await port.publish(files);
      return newest;
    },
    status: () => unit.status(),
    comparison: () => port.comparison(),
    synced: () => until('synced', ({ isSynced }) => isSynced),
    healthy: () => until('synced and healthy', ({ isSynced, isHealthy }) => isSynced && isHealthy),
    passes: async (count) => {
      await passesOver(unit, count);
    },
  };
}

/** Waits until the engine says something of a unit at this revision, with one pass after the other until then. */
export async function untilSynced(
  unit: SyncedUnit,
  revision: string | undefined,
  { what, holds }: { readonly what: string; readonly holds: (status: DeliveryStatus) => boolean },
): Promise<DeliveryStatus> {
  let last: DeliveryStatus | undefined;
  let asked: string | undefined;
  try {
    return await waitFor(
      async () => {
        last = await unit.status();
        if (last.revision === revision && holds(last)) return last;
        if (last.pass !== asked) await unit.refresh();
        asked = last.pass;
        return false;
      },
      { what, timeoutMs: TIMEOUT_MS, everyMs: 100 },
    );
  } catch (error) {
    const state = `${unit.name} at ${revision ?? 'nothing'} is not ${what}`;
    throw new Error(`${state}: ${JSON.stringify(last)}`, { cause: error });
  }
}

/** Has an engine pass over a unit so many times, and resolves with what it said after each. */
export async function passesOver(unit: SyncedUnit, count: number): Promise<readonly DeliveryStatus[]> {
  let { pass } = await unit.status();
  const seen: DeliveryStatus[] = [];
  while (seen.length < count) {
    await unit.refresh();
    const next = await waitFor(
      async () => {
        const now = await unit.status();
        return now.pass !== pass && now;
      },
      { what: `a pass over ${unit.name}`, timeoutMs: TIMEOUT_MS, everyMs: 100 },
    );
    ({ pass } = next);
    seen.push(next);
  }
  return seen;
}
