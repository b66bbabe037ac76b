import type { World } from "../../context.ts";
import { perWorld } from "../../context.ts";
import type { Refusals } from "../carrier-accounts/webhook-subscriptions.ts";
import { addRefusalsAcrossOrgs } from "../carrier-accounts/webhook-subscriptions.ts";

const writeIntervalMs = 1_000;

/** Refused webhooks by account. Written at most once a second: anyone may send webhooks, and a flood must not become a flood of writes. */
const refusals = perWorld((world) => {
  const pending = new Map<string, Refusals>();
  let isWriting = false;

  async function writePending(): Promise<void> {
    const written = [...pending.values()];
    pending.clear();
    try {
      await addRefusalsAcrossOrgs(world.db, written);
    } catch (error) {
      world.log.warn({ err: error }, "refused webhooks of carriers were not counted");
    }
  }

  function schedule(): void {
    if (isWriting || pending.size === 0) return;
    isWriting = true;
    void writePending().then(() => {
      setTimeout(() => {
        isWriting = false;
        schedule();
      }, writeIntervalMs).unref();
    });
  }

  return (accountId: string, message: string): void => {
    const count = (pending.get(accountId)?.count ?? 0) + 1;
    pending.set(accountId, { accountId, count, at: world.clock.now(), message });
    schedule();
  };
});

export function countRefusal(world: World, accountId: string, message: string): void {
  refusals(world)(accountId, message);
}
