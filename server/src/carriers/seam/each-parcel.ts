import { RemoteError } from "./http.ts";

/**
 * Asks a carrier about parcels one by one, a few at the same time. When it fails after some responses, those are kept and the rest is
 * left out: the hub asks again later. A failure of the first request is thrown.
 */
export async function askEach<Item, Result>(
  items: readonly Item[],
  parallel: number,
  ask: (item: Item) => Promise<Result | undefined>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  let answered = 0;
  let failure: RemoteError | undefined;
  const work = async (): Promise<void> => {
    while (failure === undefined && next < items.length) {
      const item = items[next++]!;
      try {
        const result = await ask(item);
        answered++;
        if (result !== undefined) results.push(result);
      } catch (error) {
        if (!(error instanceof RemoteError)) throw error;
        failure ??= error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallel, items.length) }, work));
  if (failure !== undefined && (answered === 0 || !failure.retryable)) throw failure;
  return results;
}
