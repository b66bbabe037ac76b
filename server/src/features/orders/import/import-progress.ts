import type { Ctx } from "../../../context.ts";
import { Live } from "../../../route.ts";

/** Minimum interval between reports. */
const minIntervalMs = 250;
const heartbeatMs = 15_000;
/** No batch takes this long: the process has died, or the import will not start. */
const timeoutMs = 120_000;

/**
 * An import is one transaction, invisible until it commits, and may run in a worker process: its progress is sent over the
 * signals and not stored.
 */
export function reportProgress(ctx: Ctx, id: string | undefined) {
  let reportedAt = -Infinity;
  let rows = 0;
  const send = (what: string): void => {
    if (id !== undefined) ctx.signals.hint("import_progress", [ctx.orgId, id, what, rows].join(" "));
  };
  return {
    report(done: number): void {
      rows = done;
      if (performance.now() - reportedAt < minIntervalMs) return;
      reportedAt = performance.now();
      send("at");
    },
    end: (): void => send("end"),
  };
}

export function watchImport(ctx: Ctx, id: string): Live {
  return new Live(async ({ ended, push, toText }) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let receivedAt = performance.now();
    const unsubscribe = ctx.signals.subscribe("import_progress", (subject) => {
      const [orgId, ofId, what, rows] = subject.split(" ");
      if (orgId !== ctx.orgId || ofId !== id) return;
      receivedAt = performance.now();
      push(`${what === "end" ? "event: end\n" : ""}data: ${toText({ rows: Number(rows) })}\n\n`);
      if (what === "end") resolve();
    });
    const heartbeat = setInterval(() => {
      if (performance.now() - receivedAt >= timeoutMs) resolve();
      else push(":\n\n");
    }, heartbeatMs);
    ended.addEventListener("abort", () => resolve());
    // Tells the client that it is subscribed and will miss nothing from now on.
    push(":\n\n");
    try {
      await promise;
    } finally {
      clearInterval(heartbeat);
      unsubscribe();
    }
  });
}
