import { waitFor } from '../wait.js';
import type { Delivery, DeliveryStatus, Tree } from './engine.js';

/** The part of a delivery that differs from engine to engine. */
export interface DeliveryPort {
  publish(files: Tree): Promise<string>;
  status(): Promise<DeliveryStatus>;
  comparison(): Promise<ReadonlyMap<string, boolean>>;
}

const TIMEOUT_MS = 120_000;

/** Adds the waiting, which is the same for all engines. */
export function deliveryOf(name: string, port: DeliveryPort): Delivery {
  let newest: string | undefined;
  const until = async (what: string, holds: (status: DeliveryStatus) => boolean): Promise<DeliveryStatus> => {
    let last: DeliveryStatus | undefined;
    try {
      return await waitFor(
        async () => {
          last = await port.status();
          return last.revision === newest && holds(last) && last;
        },
        { what, timeoutMs: TIMEOUT_MS, everyMs: 100 },
      );
    } catch (error) {
      throw new Error(`${name} at ${newest ?? 'nothing'} is not ${what}: ${JSON.stringify(last)}`, { cause: error });
    }
  };
  return {
    publish: async (files) => {
      newest = await port.publish(files);
      return newest;
    },
    status: () => port.status(),
    comparison: () => port.comparison(),
    synced: () => until('synced', ({ isSynced }) => isSynced),
    healthy: () => until('synced and healthy', ({ isSynced, isHealthy }) => isSynced && isHealthy),
    passes: async (count) => {
      await passesOver(name, () => port.status(), count);
    },
  };
}

/** Waits for so many passes of an engine over what is called `name`, and resolves with what it said after each. */
export async function passesOver(
  name: string,
  status: () => Promise<DeliveryStatus>,
  count: number,
): Promise<readonly DeliveryStatus[]> {
  let { pass } = await status();
  const seen: DeliveryStatus[] = [];
  while (seen.length < count) {
    const next = await waitFor(
      async () => {
        const now = await status();
        return now.pass !== pass && now;
      },
      { what: `a pass over ${name}`, timeoutMs: TIMEOUT_MS, everyMs: 100 },
    );
    ({ pass } = next);
    seen.push(next);
  }
  return seen;
}
