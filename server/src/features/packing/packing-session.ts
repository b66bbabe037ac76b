import type { Actor } from "../../core/actor.ts";
import { callerKey } from "../../core/actor.ts";
import { HubError } from "../../core/errors.ts";
import { nextVersion } from "../../core/versions.ts";
import type { Ctx } from "../../context.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import type { Order } from "../orders/order.ts";
import { readOrders } from "../orders/orders.ts";
import type { Packed, PackItem } from "./packing-count.ts";
import { isComplete, itemsOf } from "./packing-count.ts";
import { expectedWeightOf } from "./packing-runs.ts";
import type { PackingSession } from "./packing.schemas.ts";
import type { StoredSession } from "./packing.store.ts";
import { readPacked, sessions } from "./packing.store.ts";

/** A session with its order and what is packed of it. */
export type LoadedSession = { session: StoredSession; order: Order; packed: Packed };

/** Set-based, for lists. The order of a session exists: its sessions are deleted with it. */
export async function loadSessions(db: Queryable, orgId: string, stored: StoredSession[]): Promise<LoadedSession[]> {
  if (stored.length === 0) return [];
  const ids = [...new Set(stored.map(({ orderId }) => orderId))];
  const orders = new Map((await readOrders(db, orgId, ids)).map((order) => [order.id, order]));
  const packed = await readPacked(
    db,
    orgId,
    stored.map(({ id }) => id),
  );
  return stored.flatMap((session) => {
    const order = orders.get(session.orderId);
    return order ? [{ session, order, packed: packed.get(session.id)! }] : [];
  });
}

export async function loadSession(db: Queryable, orgId: string, session: StoredSession): Promise<LoadedSession> {
  const [loaded] = await loadSessions(db, orgId, [session]);
  if (!loaded) throw new HubError("packing_session_not_found");
  return loaded;
}

/** Locks a session of this caller that has not ended. `station`: also of this station. */
export async function lockOwn(tx: Tx, ctx: Ctx, id: string, station?: string): Promise<LoadedSession> {
  const session = await sessions.lock(tx, ctx.orgId, id);
  if (session.status !== "open") throw new HubError("invalid_state", `The session has ended: it is ${session.status}.`);
  if (!isOwn(ctx, session, station)) throw takenBy(session);
  return await loadSession(tx, ctx.orgId, session);
}

/** Two stations of one user are two packers; a request without a station is of any of them. */
export function isOwn(ctx: Ctx, { packer, station }: StoredSession, given: string | undefined): boolean {
  return callerKey(packer) === callerKey(ctx.actor) && (given === undefined || station === null || station === given);
}

export function takenBy({ id, packer, station, createdAt }: StoredSession): HubError {
  const place = station === null ? "" : ` at ${station}`;
  const message = `${nameOf(packer)} has been packing this order${place} since ${createdAt}.`;
  return new HubError("packing_in_progress", message, { extra: { sessionId: id, packer, station, since: createdAt } });
}

function nameOf(actor: Actor): string {
  return actor.type === "user" ? actor.email : actor.name;
}

export async function saveSession(
  tx: Tx,
  ctx: Ctx,
  session: StoredSession,
  patch: Partial<StoredSession> = {},
): Promise<StoredSession> {
  const next = nextVersion(session, patch, ctx.clock.now());
  await sessions.update(tx, ctx.orgId, next);
  return next;
}

/** What is to be packed, or was: the units of an ended session may have been shipped since. */
export function sessionItems({ session, order, packed }: LoadedSession): PackItem[] {
  if (session.status === "open") return itemsOf(order, packed);
  return order.lines.flatMap((line) => {
    const count = packed.get(line.id) ?? 0;
    return count > 0 ? [{ line, needed: count, packed: count }] : [];
  });
}

export function presentSession(loaded: LoadedSession): PackingSession {
  const { session, order } = loaded;
  const items = sessionItems(loaded);
  const sum = (field: "needed" | "packed"): number => items.reduce((total, item) => total + item[field], 0);
  return {
    ...session,
    orderNumber: order.number,
    items: items.map(({ line: { id, sku, name, weight, imageUrl, options, properties }, needed, packed }) => ({
      lineId: id,
      sku,
      needed,
      packed,
      ...(name !== undefined && { name }),
      ...(weight && { weight }),
      ...(imageUrl !== undefined && { imageUrl }),
      ...(options && { options }),
      ...(properties && { properties }),
    })),
    neededCount: sum("needed"),
    packedCount: sum("packed"),
    isComplete: isComplete(items),
    expectedWeight: expectedWeightOf(items, session.box) ?? null,
  };
}

/** Members of every event of a session. */
export function aboutSession({ session, order }: Pick<LoadedSession, "session" | "order">) {
  const { station, version } = session;
  return { orderId: order.id, number: order.number, station, version };
}
