import type { Ctx, World } from "../../context.ts";
import { change, perWorld, systemContext } from "../../context.ts";
import { HubError } from "../../core/errors.ts";
import type { OutboundPause } from "../../db/hub-state.ts";
import { findOutboundPause, removeOutboundPause } from "../../db/hub-state.ts";
import { recordEvent } from "../../events/record-event.ts";
import { findOperatorOrganization } from "../organizations/organizations.ts";
import type { Outbound } from "./outbound-pause.schemas.ts";

/** Cached per process. A pause exists only from the restore of a database until it is resumed; it never begins while a hub runs. */
const known = perWorld(() => ({ pause: undefined as OutboundPause | undefined, waiting: new Set<() => void>() }));

/** Call it before starting any outbound work. */
export async function followOutboundPause(world: World): Promise<void> {
  await refresh(world);
  const refreshOrLog = (): void => {
    refresh(world).catch((error: unknown) => world.log.error({ err: error }, "reading the outbound pause failed"));
  };
  world.signals.subscribe("outbound", refreshOrLog);
  world.signals.subscribe("reset", refreshOrLog);
  world.signals.onGap(refreshOrLog);
}

async function refresh(world: World): Promise<void> {
  const state = known(world);
  state.pause = await findOutboundPause(world.db.acrossOrgs);
  if (state.pause) return;
  for (const start of state.waiting) start();
  state.waiting.clear();
}

export function isOutboundPaused(world: World): boolean {
  return known(world).pause !== undefined;
}

/** Calls `start` now, or when outbound work is resumed. Returns a function that cancels a pending start. */
export function whenOutboundRuns(world: World, start: () => void): () => void {
  const { pause, waiting } = known(world);
  if (pause) waiting.add(start);
  else start();
  return () => waiting.delete(start);
}

/** For API requests that would call another system. */
export function requireOutbound(world: World): void {
  if (!isOutboundPaused(world)) return;
  const message = "This hub was restored from a backup.";
  throw new HubError("outbound_paused", `${message} Resume with \`hub resume-outbound\` or POST /outbound/resume.`);
}

export function getOutbound(ctx: Ctx): Outbound {
  return present(known(ctx).pause);
}

export async function resumeOutbound(ctx: Ctx): Promise<Outbound> {
  return await change(ctx, async (tx) => {
    const pause = await removeOutboundPause(tx);
    if (pause) {
      const data = { reason: pause.reason, pausedAt: pause.pausedAt };
      recordEvent(tx, ctx, { type: "outbound.resumed", objectId: ctx.orgId, data });
      await ctx.signals.publish(tx, "outbound", "");
      tx.afterCommit(() => refresh(ctx));
    }
    return present(undefined);
  });
}

/** For the command line. Returns false if nothing was paused. */
export async function resumeOutboundByCommand(world: World): Promise<boolean> {
  const isPaused = (await findOutboundPause(world.db)) !== undefined;
  const operator = await findOperatorOrganization(world);
  if (operator) await resumeOutbound(systemContext(world, operator.id, "hub resume-outbound"));
  // An unused environment has no organization and no audit log.
  else await removeOutboundPause(world.db);
  return isPaused;
}

/** Records in the audit log of the operator organization that the data came from a backup. */
export async function recordOutboundPause(world: World): Promise<void> {
  const pause = await findOutboundPause(world.db);
  const operator = await findOperatorOrganization(world);
  if (!pause || !operator) return;
  const ctx = systemContext(world, operator.id, "hub restore");
  const { reason, pausedAt, takenAt } = pause;
  const data = { reason, pausedAt, backupTakenAt: takenAt };
  await change(ctx, async (tx) => recordEvent(tx, ctx, { type: "outbound.paused", objectId: operator.id, data }));
}

function present(pause: OutboundPause | undefined): Outbound {
  const { reason = null, pausedAt = null, takenAt: backupTakenAt = null } = pause ?? {};
  return { isPaused: pause !== undefined, reason, pausedAt, backupTakenAt };
}
