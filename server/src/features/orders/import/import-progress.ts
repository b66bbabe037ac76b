import type { Ctx } from "../../../context.ts";
import { Live } from "../../../route.ts";

/** So often at most is somebody told. */
const leastMs = 250;
const stillHereMs = 15_000;
/** No import takes as long over a portion: it has ended with the process it was in, or will not begin. */
const silenceMs = 120_000;

/**
 * An import is one transaction, of which nobody sees anything before its end, and a process of its own may do it: how far
 * it is goes over the signals, and is stored nowhere.
 */
export function reportProgress(ctx: Ctx, id: string | undefined) {
  let toldAt = -Infinity;
  let rows = 0;
  const say = (what: string): void => {
    if (id !== undefined) ctx.signals.hint("import_progress", [ctx.orgId, id, what, rows].join(" "));
  };
  return {
    tell(done: number): void {
      rows = done;
      if (performance.now() - toldAt < leastMs) return;
      toldAt = performance.now();
      say("at");
    },
    end: (): void => say("end"),
  };
}

export function watchImport(ctx: Ctx, id: string): Live {
  return new Live(async ({ ended, push, toText }) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let heardAt = performance.now();
    const unsubscribe = ctx.signals.subscribe("import_progress", (subject) => {
      const [orgId, ofId, what, rows] = subject.split(" ");
      if (orgId !== ctx.orgId || ofId !== id) return;
      heardAt = performance.now();
      push(`${what === "end" ? "event: end\n" : ""}data: ${toText({ rows: Number(rows) })}\n\n`);
      if (what === "end") resolve();
    });
    const heartbeat = setInterval(() => {
      if (performance.now() - heardAt >= silenceMs) resolve();
      else push(":\n\n");
    }, stillHereMs);
    ended.addEventListener("abort", () => resolve());
    // Who has opened it knows by this that nothing is missed from now on.
    push(":\n\n");
    try {
      await promise;
    } finally {
      clearInterval(heartbeat);
      unsubscribe();
    }
  });
}
