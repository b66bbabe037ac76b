import type { Ctx, World } from "../../context.ts";
import { change, perWorld, systemContext } from "../../context.ts";
import { HubError } from "../../core/errors.ts";
import type { OutboundPause } from "../../db/hub-state.ts";
import { findOutboundPause, removeOutboundPause } from "../../db/hub-state.ts";
import { recordEvent } from "../../events/record-event.ts";
import { findOperatorOrganization } from "../organizations/organizations.ts";
import type { Outbound } from "./outbound-pause.schemas.ts";

/** As this process knows it. Nothing is paused while it runs: a pause comes with a restored database, and ends once. */
const known = perWorld(() => ({ pause: undefined as OutboundPause | undefined, waiting: new Set<() => void>() }));

/** To be called before anything that might call out is started. */
export async function followOutboundPause(world: World): Promise<void> {
  await refresh(world);
  const refreshOrComplain = (): void => {
    refresh(world).catch((error: unknown) =>
      world.log.error({ err: error }, "whether outbound work is paused could not be read"),
    );
  };
  world.signals.subscribe("outbound", refreshOrComplain);
  world.signals.subscribe("reset", refreshOrComplain);
  world.signals.onGap(refreshOrComplain);
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

/** Starts it now, or when outbound work is resumed. Returns what takes that back. */
export function whenOutboundRuns(world: World, start: () => void): () => void {
  const { pause, waiting } = known(world);
  if (pause) waiting.add(start);
  else start();
  return () => waiting.delete(start);
}

/** For requests that would call another system right away. */
export function refuseWhilePaused(world: World): void {
  if (!isOutboundPaused(world)) return;
  const message = "This hub was restored from a backup and calls no other system yet.";
  throw new HubError("outbound_paused", `${message} \`hub resume-outbound\` or POST /outbound/resume ends the pause.`);
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

/** From the command line, by those who have the machine. False: nothing was paused. */
export async function resumeOutboundByCommand(world: World): Promise<boolean> {
  const isPaused = (await findOutboundPause(world.db)) !== undefined;
  const operator = await findOperatorOrganization(world);
  if (operator) await resumeOutbound(systemContext(world, operator.id, "hub resume-outbound"));
  // The surface is unused: it has no audit log.
  else await removeOutboundPause(world.db);
  return isPaused;
}

/** Tells the audit log of the organization that runs the hub that its data came from a backup. */
export async function noteOutboundPause(world: World): Promise<void> {
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
