import { badField, HubError } from "../../../core/errors.ts";
import { notFound } from "../../../core/resources.ts";
import type { Ctx, World } from "../../../context.ts";
import { change, systemContext } from "../../../context.ts";
import type { SentRequest } from "../../../route.ts";
import { findKnownBridge, findTask, findUnusable, readWebhook } from "../../bridges/bridge-tasks.ts";
import { enqueueExecutions } from "../enqueue-executions.ts";
import type { ExecutionRow } from "../executions.store.ts";
import type { InboundWebhookAnswer } from "../tasks.schemas.ts";
import * as store from "./inbound-webhooks.store.ts";

/** Webhooks that arrive within this time are processed together. */
const collectSeconds = 0.25;

/**
 * Receives a webhook of a shop. The caller has no token; its signature authenticates it. The response is sent once the webhook is
 * stored. The task that imports orders processes it later, and reads the current state of the orders from the shop.
 */
export async function receiveInboundWebhook(
  ctx: Ctx,
  bridgeId: string,
  sent: SentRequest,
): Promise<InboundWebhookAnswer> {
  const bridge = await findKnownBridge(ctx, bridgeId);
  const read = bridge ? readWebhook(ctx, bridge, sent) : "off";
  if (!bridge || read === "off" || read === "not_signed") {
    throw read === "not_signed" ? notSigned() : notFound("bridge");
  }
  if (read !== "ignored" && "problem" in read) throw badField("", "invalid_webhook", read.problem);
  const task = read === "ignored" || findUnusable(ctx, bridge) ? undefined : findTask(bridge, read.task);
  // When the bridge is active again, its next import reads the missed changes.
  if (read === "ignored" || task?.mode !== "pull" || !task.receive) return { status: "ignored" };
  const { row } = bridge;
  const own: Ctx = { ...systemContext(ctx, row.org_id, `webhook of ${row.name}`), requestId: ctx.requestId };
  return await change(own, async (tx) => {
    const id = own.newId();
    if (!(await store.insertWebhook(tx, row, id, read, own.clock.now()))) return { status: "duplicate" };
    const collector = await store.holdCollector(tx, row, task.name);
    const request = { bridge, task, input: {}, trigger: "webhook", delaySeconds: collectSeconds } as const;
    const [{ id: executionId }] = collector
      ? [collector]
      : ((await enqueueExecutions(tx, own, [request])) as [ExecutionRow]);
    await store.giveTo(tx, row.org_id, id, executionId);
    return { status: "accepted" };
  });
}

/** The organization of a bridge that gets webhooks. Cached, so that a known bridge needs no query. */
export async function findInboundWebhookOwner(world: World, bridgeId: string): Promise<string | undefined> {
  return (await findKnownBridge(world, bridgeId))?.row.org_id;
}

function notSigned(): HubError {
  return new HubError("invalid_signature", "It is not signed with the webhook secret of this bridge.");
}

const keptMs = 7 * 24 * 3_600_000;

/** Longer than any shop repeats a webhook that was not accepted. */
export async function removeOldInboundWebhooks({ db, clock }: World): Promise<void> {
  await store.deleteOldWebhooksAcrossOrgs(db, new Date(clock.now().getTime() - keptMs));
}
