import { useEffect } from "react";
import { useLatest } from "../ui/use-latest.ts";

type Stream = (signal: AbortSignal) => AsyncIterable<{ event: string; data: string }>;

/**
 * Streams a record while the page is visible: an HTTP/1.1 origin has six connections for all its tabs. A broken stream is
 * reopened and starts with the full state.
 */
export function useWatch(
  key: string | undefined,
  open: Stream,
  onState: (state: unknown, hasEnded: boolean) => void,
): void {
  const latest = useLatest({ open, onState });
  useEffect(() => {
    if (key === undefined) return undefined;
    let current: AbortController | undefined;
    let hasEnded = false;
    const follow = async (): Promise<void> => {
      for (let failures = 0; !hasEnded && !document.hidden; failures++) {
        const abort = new AbortController();
        current = abort;
        try {
          for await (const { event, data } of latest.current.open(abort.signal)) {
            failures = 0;
            hasEnded = event === "end";
            latest.current.onState(JSON.parse(data) as unknown, hasEnded);
          }
        } catch {
          // The connection bar reports it; the stream is reopened below.
        }
        if (abort.signal.aborted) return;
        if (!hasEnded) await new Promise((resolve) => setTimeout(resolve, Math.min(500 * 2 ** failures, 5_000)));
      }
    };
    const onVisibility = (): void => {
      current?.abort();
      if (!document.hidden && !hasEnded) void follow();
    };
    document.addEventListener("visibilitychange", onVisibility);
    void follow();
    return () => {
      hasEnded = true;
      document.removeEventListener("visibilitychange", onVisibility);
      current?.abort();
    };
    // The callbacks are read when they are called.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [key]);
}
