import { queryClient } from "./hub.ts";

const longestWaitMs = 1_000;
const isDeferred = { isDeferred: true };
const isPageWaiting = (): boolean =>
  queryClient.isFetching({ predicate: ({ meta }) => meta?.["isDeferred"] !== true }) > 0;

/**
 * Wraps a query for counts, names and other side data, so that it starts after the page's main query. A browser has six
 * connections to the hub, and the first requests are answered first.
 */
export function afterMainQuery<Data>(load: (signal: AbortSignal) => Promise<Data>) {
  return {
    meta: isDeferred,
    async queryFn({ signal }: { signal: AbortSignal }): Promise<Data> {
      await pageIsAnswered();
      return await load(signal);
    },
  };
}

async function pageIsAnswered(): Promise<void> {
  // Wait one tick: components of the same render start their queries together.
  await new Promise((resolve) => setTimeout(resolve));
  if (!isPageWaiting()) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const forget = queryClient.getQueryCache().subscribe(() => {
    if (!isPageWaiting()) resolve();
  });
  const timer = setTimeout(resolve, longestWaitMs);
  await promise;
  clearTimeout(timer);
  forget();
}
