import type { Principal } from "../../core/actor.ts";
import { isUuid } from "../../core/ids.ts";
import type { Page } from "../../core/page.ts";
import type { Ctx, World } from "../../context.ts";
import { perWorld } from "../../context.ts";
import type { LoggedRequest, RequestQuery } from "./requests.schemas.ts";
import type { NewRequest } from "./requests.store.ts";
import * as store from "./requests.store.ts";

export { deleteOldRequestsAcrossOrgs } from "./requests.store.ts";

/** What is kept of an organization in a minute, by each node. Whoever asks for more could fill the disk with it. */
const keptPerMinute = { failure: 120, change: 120, read: 30 };
/** Of all organizations, until they are written. */
const maxPending = 5_000;
const minuteMs = 60_000;

type Use = { minute: number; kept: Record<keyof typeof keptPerMinute, number>; leftOut: number };

const logs = perWorld(() => ({ uses: new Map<string, Use>(), pending: new Array<NewRequest>() }));

export type Answered = {
  requestId: string;
  method: string;
  route: string;
  params: unknown;
  status: number;
  code: string | null;
  durationMs: number;
};

/**
 * In memory only: it is called with every request. Neither query nor body is kept, which may be about people; nor what
 * people look at, which is nobody's business.
 */
export function noteRequest(world: World, { orgId, actor }: Principal, answered: Answered): void {
  const { method, status } = answered;
  const isRead = method === "GET" || method === "HEAD";
  const kind = status >= 400 ? "failure" : isRead ? "read" : "change";
  if (actor.type === "system" || (actor.type === "user" && kind === "read")) return;
  const { uses, pending } = logs(world);
  const use = useOf(uses, orgId, minuteOf(world));
  if (use.kept[kind] >= keptPerMinute[kind] || pending.length >= maxPending) {
    use.leftOut++;
    return;
  }
  use.kept[kind]++;
  const { params, durationMs, ...rest } = answered;
  pending.push({
    ...rest,
    id: world.newId(),
    orgId,
    at: world.clock.now(),
    objectId: lastId(params),
    durationMs: Math.round(durationMs),
    actorType: actor.type,
    actorId: actor.id,
    leftOut: use.leftOut,
  });
  use.leftOut = 0;
}

/** Also while the clock of the preview stands still. */
const minuteOf = ({ clock }: World): number => Math.floor(clock.real().getTime() / minuteMs);

function useOf(uses: Map<string, Use>, orgId: string, minute: number): Use {
  const known = uses.get(orgId);
  if (known?.minute === minute) return known;
  const use = { minute, kept: { failure: 0, change: 0, read: 0 }, leftOut: known?.leftOut ?? 0 };
  uses.set(orgId, use);
  return use;
}

/** Of what the path names the innermost; a name that stands for an id may be anything. */
function lastId(params: unknown): string | null {
  const values: unknown[] = Object.values(params ?? {});
  return values.findLast((value): value is string => typeof value === "string" && isUuid(value)) ?? null;
}

/** Written now and then for all at once, not with every request. */
export async function flushRequests(world: World): Promise<void> {
  const { uses, pending } = logs(world);
  const minute = minuteOf(world);
  for (const [orgId, use] of uses) if (use.minute !== minute && use.leftOut === 0) uses.delete(orgId);
  const written = pending.splice(0);
  if (written.length > 0) await store.insertRequestsAcrossOrgs(world.db.acrossOrgs, written);
}

/** With those that this node has not written yet. */
export async function listRequests(ctx: Ctx, query: RequestQuery): Promise<Page<LoggedRequest>> {
  await flushRequests(ctx);
  return await store.listRequests(ctx.db, ctx.orgId, query);
}
