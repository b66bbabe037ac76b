import { badField } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { recordEvents } from "../../events/record-event.ts";
import type { AutomationOrder } from "./automations.schemas.ts";
import type { Positioned } from "./automations.store.ts";
import * as store from "./automations.store.ts";

/** All automations in a new order. */
export async function orderAutomations(ctx: Ctx, { ids }: AutomationOrder) {
  return await change(ctx, async (tx) => {
    await store.lockPositions(tx, ctx.orgId);
    const present = await store.listPositions(tx, ctx.orgId);
    const wanted = ids.map((id, index) => {
      const found = present.find((one) => one.id === id.toLowerCase());
      if (!found) throw badField(`/ids/${index}`, "automation_not_found", `There is no automation ${id}.`);
      return found;
    });
    const missing = present.filter((one) => !wanted.includes(one));
    if (missing.length > 0) {
      const names = missing.map(({ id, name }) => `${name} (${id})`).join(", ");
      throw badField("/ids", "incomplete", `All automations must be listed. Missing: ${names}.`);
    }
    const data = await saveOrder(tx, ctx, wanted);
    return { data: data.map(({ id, name, position }) => ({ id, name, position })) };
  });
}

/** Moves one automation to a position, the last one if there are fewer. Call after `lockPositions`. Returns its position. */
export async function moveAutomation(tx: Tx, ctx: Ctx, id: string, position: number): Promise<number> {
  const present = await store.listPositions(tx, ctx.orgId);
  const others = present.filter((one) => one.id !== id);
  others.splice(
    position - 1,
    0,
    present.find((one) => one.id === id)!,
  );
  const moved = await saveOrder(tx, ctx, others, id);
  return moved.find((one) => one.id === id)!.position;
}

/** Numbers the automations. `silent`: the automation whose own event reports the change. */
async function saveOrder(tx: Tx, ctx: Ctx, ordered: Positioned[], silent?: string): Promise<Positioned[]> {
  const numbered = ordered.map((one, index) => ({ ...one, position: index + 1 }));
  const moved = numbered.filter(({ position }, index) => position !== ordered[index]!.position);
  if (moved.length === 0) return numbered;
  const ids = moved.map(({ id }) => id);
  await store.savePositions(
    tx,
    ctx.orgId,
    ids,
    moved.map(({ position }) => position),
  );
  const reported = moved.filter(({ id }) => id !== silent);
  recordEvents(
    tx,
    ctx,
    reported.map(({ id, name, mode, pipeline_id, version }) => ({
      type: "automation.updated",
      objectId: id,
      data: { name, mode, pipeline_id, version, fields: ["position"] },
    })),
  );
  // Automations that waited for others may go on now.
  await ctx.signals.publish(tx, "automation", "");
  return numbered;
}
