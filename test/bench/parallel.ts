/** Does something with every item, so many at a time. Rejects with the first failure. */
export async function inParallel<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  concurrency = 24,
): Promise<void> {
  const queue = items.values();
  const worker = async (): Promise<void> => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}
