import type { World } from "../../../context.ts";
import { claimNext } from "./claim-executions.ts";
import type { ExecutionRow } from "../executions.store.ts";
import { giveBackUnknown } from "./recover-executions.ts";
import { hintWorkers } from "./wake-workers.ts";

const maxClaim = 100;
const askAgainMs = 500;

type Claimer = {
  owner: string;
  /** How many more could run. */
  free(): number;
  knownIds(): string[];
  begin(executions: ExecutionRow[], askedAt: number): void;
};

/** Takes from the queue as long as there are jobs and room, one request at a time. */
export function startClaimLoop(world: World, { owner, free, knownIds, begin }: Claimer) {
  let isStopping = false;
  let pumping: Promise<void> | undefined;
  let isWanted = false;
  let mayHoldUnknown = false;
  let mayOthersHelp = false;

  function wake(): void {
    isWanted = true;
    if (pumping || isStopping) return;
    pumping = pump()
      .catch((error: unknown) => {
        // Perhaps only the answer was lost, and they are ours.
        mayHoldUnknown = true;
        world.log.warn({ err: error }, "no tasks could be taken; they wait");
        setTimeout(wake, askAgainMs).unref();
      })
      .finally(() => {
        pumping = undefined;
      });
  }

  async function pump(): Promise<void> {
    while (isWanted && !isStopping) {
      const limit = Math.min(free(), maxClaim);
      if (limit <= 0) {
        if (mayOthersHelp) hintWorkers(world);
        mayOthersHelp = false;
        return;
      }
      if (mayHoldUnknown) await giveBackUnknown(world, owner, knownIds());
      mayHoldUnknown = false;
      isWanted = false;
      const askedAt = performance.now();
      const { executions, hasMore } = await claimNext(world, owner, limit);
      if (hasMore) isWanted = mayOthersHelp = true;
      begin(executions, askedAt);
    }
  }

  return {
    wake,
    mayHoldUnknown(): void {
      mayHoldUnknown = true;
    },
    async stop(): Promise<void> {
      isStopping = true;
      await pumping;
    },
  };
}
