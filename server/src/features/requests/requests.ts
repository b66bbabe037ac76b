import type { Principal } from "../../core/actor.ts";
import { isUuid } from "../../core/ids.ts";
import type { Page } from "../../core/page.ts";
import type { Ctx, World } from "../../context.ts";
import { perWorld } from "../../context.ts";
import type { LoggedRequest, RequestQuery } from "./requests.schemas.ts";
import type { NewRequest } from "./requests.store.ts";
import * as store from "./requests.store.ts";

export { deleteOldRequestsAcrossOrgs } from "./requests.store.ts";

/** Requests logged per organization, node and minute. Without a limit, one organization could fill the disk. */
const loggedPerMinute = { failure: 120, change: 120, read: 30 };
/** Unwritten requests of all organizations. */
const maxPending = 5_000;
const minuteMs = 60_000;

type Usage = { minute: number; logged: Record<keyof typeof loggedPerMinute, number>; droppedCount: number };

const logs = perWorld(() => ({ usages: new Map<string, Usage>(), pending: new Array<NewRequest>() }));

export type CompletedRequest = {
  requestId: string;
  method: string;
  route: string;
  params: unknown;
  status: number;
  code: string | null;
  durationMs: number;
};

/**
 * Called with every request, so it writes to memory only. Queries and bodies are not logged, since they may contain personal
 * data; reads of users are not logged, to protect their privacy.
 */
export function logRequest(world: World, { orgId, actor }: Principal, completed: CompletedRequest): void {
  const { method, status } = completed;
  const isRead = method === "GET" || method === "HEAD";
  const kind = status >= 400 ? "failure" : isRead ? "read" : "change";
  if (actor.type === "system" || (actor.type === "user" && kind === "read")) return;
  // A client that follows the log would fill it with its own reads, and use up the limit of the others.
  if (kind === "read" && completed.route === "/api/v1/requests") return;
  const { usages, pending } = logs(world);
  const usage = usageOf(usages, orgId, minuteOf(world));
  if (usage.logged[kind] >= loggedPerMinute[kind] || pending.length >= maxPending) {
    usage.droppedCount++;
    return;
  }
  usage.logged[kind]++;
  const { params, durationMs, ...rest } = completed;
  pending.push({
    ...rest,
    id: world.newId(),
    orgId,
    at: world.clock.now(),
    objectId: innermostId(params),
    durationMs: Math.round(durationMs),
    actorType: actor.type,
    actorId: actor.id,
    droppedCount: usage.droppedCount,
  });
  usage.droppedCount = 0;
}

/** By the real clock, since the preview clock may be frozen. */
const minuteOf = ({ clock }: World): number => Math.floor(clock.real().getTime() / minuteMs);

function usageOf(usages: Map<string, Usage>, orgId: string, minute: number): Usage {
  const known = usages.get(orgId);
  if (known?.minute === minute) return known;
  const usage = { minute, logged: { failure: 0, change: 0, read: 0 }, droppedCount: known?.droppedCount ?? 0 };
  usages.set(orgId, usage);
  return usage;
}

/** The innermost ID of the path. Names that stand for an ID are not logged. */
function innermostId(params: unknown): string | null {
  const values: unknown[] = Object.values(params ?? {});
  return values.findLast((value): value is string => typeof value === "string" && isUuid(value)) ?? null;
}

/** Called periodically, so that a request does not wait for the write. */
export async function flushRequests(world: World): Promise<void> {
  const { usages, pending } = logs(world);
  const minute = minuteOf(world);
  for (const [orgId, usage] of usages) if (usage.minute !== minute && usage.droppedCount === 0) usages.delete(orgId);
  const written = pending.splice(0);
  if (written.length > 0) await store.insertRequestsAcrossOrgs(world.db.acrossOrgs, written);
}

/** Flushes first, so that the list has all requests of this node. */
export async function listRequests(ctx: Ctx, query: RequestQuery): Promise<Page<LoggedRequest>> {
  await flushRequests(ctx);
  return await store.listRequests(ctx.db, ctx.orgId, query);
}
