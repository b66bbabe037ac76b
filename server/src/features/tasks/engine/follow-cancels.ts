import type { World } from "../../../context.ts";
import type { Tx } from "../../../db/database.ts";

const rememberMs = 60_000;
const maxRemembered = 10_000;
const idsPerSignal = 100;

/** Published in the transaction of the cancellation, whose request is answered once every node has received it. */
export async function announceCancels(tx: Tx, world: World, ids: string[]): Promise<void> {
  for (let from = 0; from < ids.length; from += idsPerSignal) {
    await world.signals.publish(tx, "task_cancelled", ids.slice(from, from + idsPerSignal).join(","));
  }
}

/** A cancellation can arrive before the result of the claim query that it cancels, so ids are remembered for a while. */
export function followCancels(world: World, onCancel: (id: string) => void) {
  const receivedAt = new Map<string, number>();
  const stop = world.signals.subscribe("task_cancelled", (subject) => {
    const now = performance.now();
    for (const [id, at] of receivedAt) {
      if (now - at < rememberMs && receivedAt.size < maxRemembered) break;
      receivedAt.delete(id);
    }
    for (const id of subject.split(",")) {
      receivedAt.set(id, now);
      onCancel(id);
    }
  });
  return { wasCancelled: (id: string): boolean => receivedAt.has(id), stop };
}
