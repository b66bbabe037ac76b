import type { World } from "../../../context.ts";
import type { Tx } from "../../../db/database.ts";

const rememberMs = 60_000;
const maxRemembered = 10_000;
const idsPerSignal = 100;

/** In the transaction of the cancel, which is answered when every node has heard of it. */
export async function announceCancels(tx: Tx, world: World, ids: string[]): Promise<void> {
  for (let from = 0; from < ids.length; from += idsPerSignal) {
    await world.signals.publish(tx, "task_cancelled", ids.slice(from, from + idsPerSignal).join(","));
  }
}

/** A cancel can be here before the answer to the claim of what it cancels: it is remembered for that long. */
export function followCancels(world: World, onCancel: (id: string) => void) {
  const heardAt = new Map<string, number>();
  const stop = world.signals.subscribe("task_cancelled", (subject) => {
    const now = performance.now();
    for (const [id, at] of heardAt) {
      if (now - at < rememberMs && heardAt.size < maxRemembered) break;
      heardAt.delete(id);
    }
    for (const id of subject.split(",")) {
      heardAt.set(id, now);
      onCancel(id);
    }
  });
  return { wasCancelled: (id: string): boolean => heardAt.has(id), stop };
}
