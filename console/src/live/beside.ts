import { queryClient } from "./hub.ts";

const longestWaitMs = 1_000;
const isBeside = { isBeside: true };
const isPageWaiting = (): boolean =>
  queryClient.isFetching({ predicate: ({ meta }) => meta?.["isBeside"] !== true }) > 0;

/**
 * For counts, names to choose from and the like: asked for when the page has what it is about. A browser has six
 * connections to the hub, and whatever is asked first is answered first.
 */
export function beside<Told>(ask: (signal: AbortSignal) => Promise<Told>) {
  return {
    meta: isBeside,
    async queryFn({ signal }: { signal: AbortSignal }): Promise<Told> {
      await pageIsAnswered();
      return await ask(signal);
    },
  };
}

async function pageIsAnswered(): Promise<void> {
  // All that is drawn together asks together; the page itself may do so after this.
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
