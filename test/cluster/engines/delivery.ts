import { waitFor } from '../wait.js';
import type { Delivery, DeliveryStatus, Tree } from './engine.js';

/** The part of a delivery that differs from engine to engine. */
export interface DeliveryPort {
  publish(files: Tree): Promise<string>;
  status(): Promise<DeliveryStatus>;
  comparison(): Promise<ReadonlyMap<string, boolean>>;
}

const TIMEOUT_MS = 60_000;

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
      let { pass } = await port.status();
      for (let left = count; left > 0; left--) {
        pass = await waitFor(
          async () => {
            const next = (await port.status()).pass;
            return next !== pass && next;
          },
          { what: `a pass over ${name}`, timeoutMs: TIMEOUT_MS, everyMs: 100 },
        );
      }
    },
  };
}
