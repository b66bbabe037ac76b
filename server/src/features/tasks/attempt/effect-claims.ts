import { setTimeout as delay } from "node:timers/promises";
import type { PushTask } from "../../../connectors/connector.ts";
import { isConnectionLoss } from "../../../db/database.ts";
import { siteOf } from "../../bridges/bridge-tasks.ts";
import type { AttemptWork } from "./attempt.ts";
import { superseded } from "./attempt.ts";
import { keyOf } from "./effect-steps.ts";
import type { Conclusion, EffectRow, Sending } from "./effects.store.ts";
import * as store from "./effects.store.ts";
import type { Sampler } from "./task-samples.ts";

/** State that the effects of one attempt share. */
export type Push = {
  work: AttemptWork;
  task: PushTask;
  site: string;
  /** Latest revisions, by order and part. */
  known: Map<string, EffectRow>;
  sampler: Sampler;
  /** How long this attempt may still wait for others that send the same. */
  waitLeftMs: number;
};

const maxWaitMs = 10_000;
const pollMs = 250;

export async function beginPush(
  work: AttemptWork,
  task: PushTask,
  orderIds: string[],
  sampler: Sampler,
): Promise<Push> {
  const push: Push = { work, task, site: siteOf(work.bridge), known: new Map(), sampler, waitLeftMs: maxWaitMs };
  await loadEffects(push, orderIds);
  return push;
}

const nameOf = (orderId: string, part: string): string => `${orderId} ${part}`;

export function knownEffect({ known }: Push, orderId: string, part: string): EffectRow | undefined {
  return known.get(nameOf(orderId, part));
}

async function loadEffects({ work: { world, execution }, known }: Push, orderIds: string[]): Promise<void> {
  for (const row of await store.listEffects(world.db, execution, orderIds)) {
    known.set(nameOf(row.orderId, row.part), row);
  }
}

type NewRevision = { orderId: string; part: string; previous: EffectRow | undefined; sending: Sending };

/** Stores the intent to send a new revision. Undefined: another attempt was first. */
export async function claimNewRevision(push: Push, effect: NewRevision): Promise<EffectRow | undefined> {
  const { world, execution } = push.work;
  const { orderId, part, previous, sending } = effect;
  const { bridge_id: bridgeId, task_name: taskName } = execution;
  const identity = { orderId, part, revision: (previous?.revision ?? 0) + 1 };
  const row = { key: keyOf({ bridgeId, taskName, ...identity }), ...identity, site: push.site, ...sending };
  return await claimed(push, orderId, await store.beginEffect(world.db, execution, row, world.clock.now()));
}

/** Takes over a stored revision, unless it has changed since it was read. Undefined: another attempt was first. */
export async function claimRevision(
  push: Push,
  seen: EffectRow,
  status: "intent" | "updating",
  sending: Sending = seen,
): Promise<EffectRow | undefined> {
  const { world, execution } = push.work;
  const row = await store.takeEffect(world.db, execution, seen, status, sending, world.clock.now());
  return await claimed(push, seen.orderId, row);
}

async function claimed(push: Push, orderId: string, row: EffectRow | undefined): Promise<EffectRow | undefined> {
  const { world, execution } = push.work;
  if (row) push.known.set(nameOf(orderId, row.part), row);
  else if (await store.isAttemptCurrent(world.db, execution)) await loadEffects(push, [orderId]);
  else throw superseded();
  return row;
}

/** Stores the outcome of a claimed revision. */
export async function conclude(
  { work: { world, execution }, task }: Push,
  row: EffectRow,
  outcome: Partial<Conclusion> & Pick<Conclusion, "status">,
): Promise<void> {
  const { content, orderVersion, shipment, sent } = row;
  const whole = { content, orderVersion, shipment, sent, error: null, ...outcome };
  const at = world.clock.now();
  Object.assign(row, whole, { concludedAt: at });
  await retryUntilConnected(() => store.concludeEffect(world.db, execution, row.key, whole, task.opposite, at));
}

const reconnectMs = 500;

/** An effect that happened outside must be stored: if its outcome were lost, it would be sent twice. */
async function retryUntilConnected(write: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isConnectionLoss(error)) throw error;
      await delay(reconnectMs);
    }
  }
}

/** Waits for the attempt that holds the effect. False: the time of this attempt for waiting is used up. */
export async function waitForHolder(push: Push, orderId: string): Promise<boolean> {
  if (push.waitLeftMs <= 0) return false;
  push.waitLeftMs -= pollMs;
  await delay(pollMs);
  await loadEffects(push, [orderId]);
  return true;
}
