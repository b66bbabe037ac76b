import { badField, HubError } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import type { Queryable } from "../../db/database.ts";
import { findLast } from "../../events/chain.ts";
import { firstHash } from "../../events/chain.ts";
import type { Position } from "../../events/event-envelope.ts";
import { cursorOf, dataSchemaOf, envelopeOf, parseCursor, schemaUrn } from "../../events/event-envelope.ts";
import { eventCatalogue } from "../../events/event-catalogue.ts";
import { exampleOf } from "../../events/event-examples.ts";
import { eventTypes, scopeOfEvent } from "../../events/event-families.ts";
import { readFilter } from "./event-filter.ts";
import type { EventPage, EventQuery, EventTypes } from "./events.schemas.ts";
import * as store from "./events.store.ts";

const dayMs = 86_400_000;
/** Clocks of nodes differ, and an event of a long transaction gets a later number than events of shorter ones. */
const slackMs = 10 * 60_000;

export async function listEvents(ctx: Ctx, query: EventQuery): Promise<EventPage> {
  const filter = readFilter(ctx, query);
  // A caller finds its own changes of a moment ago.
  await ctx.sealer.sealNow(ctx.orgId);
  const last = await findLast(ctx.db, ctx.orgId);
  const after = await findStart(ctx, last, { cursor: query.after, where: "query/after", since: filter.since });
  const { events, reached } = await store.readMatching(ctx.db, ctx.orgId, filter, { after, last, limit: query.limit });
  return {
    data: events.map((event) => envelopeOf(ctx.environment, event)),
    cursor: cursorOf(reached),
    hasMore: reached.sequence < last.sequence,
  };
}

type Start = { cursor: string | undefined; where: string; since: Date | undefined };

/** The sequence number to continue after. */
export async function findStart(ctx: Ctx, last: Position, { cursor, where, since }: Start): Promise<number> {
  const { eventRetentionDays } = ctx.settings;
  const oldest =
    eventRetentionDays === undefined ? undefined : new Date(ctx.clock.now().getTime() - eventRetentionDays * dayMs);
  if (cursor !== undefined) return await resumeAfter(ctx, cursor, where, oldest);
  const wanted = since && new Date(since.getTime() - slackMs);
  const begin = wanted && oldest ? new Date(Math.max(wanted.getTime(), oldest.getTime())) : (wanted ?? oldest);
  return begin ? await store.findBegin(ctx.db, ctx.orgId, begin, last.sequence) : 0;
}

async function resumeAfter(ctx: Ctx, text: string, where: string, oldest: Date | undefined): Promise<number> {
  const cursor = parseCursor(text);
  if (!cursor) throw badField(where, "cursor", "Not a cursor of the event feed; a cursor looks like 12345-9f3ac01b.");
  const entries = await store.findEntries(ctx.db, ctx.orgId, cursor.sequence);
  const at = cursor.sequence === 0 ? { hash: firstHash } : entries.find(({ sequence }) => sequence === cursor.sequence);
  // The other history has different entries under the same numbers, which the reader would miss silently.
  if (!at || !cursor.matches(at.hash)) {
    throw new HubError(
      "cursor_mismatch",
      "The cursor belongs to another event log: a backup was restored, or the preview was reset. " +
        "Compare your data with the hub and start without a cursor.",
    );
  }
  const next = entries.find(({ sequence }) => sequence === cursor.sequence + 1);
  if (next && oldest && next.occurredAt < oldest) {
    const message = `The feed covers the last ${ctx.settings.eventRetentionDays} days; the events after this cursor are older.`;
    throw new HubError("cursor_expired", `${message} Compare your data with the hub and start without a cursor.`);
  }
  return cursor.sequence;
}

/** The sequence number after which events at or after this time begin. */
export async function findSequenceAt(ctx: Ctx, moment: Date): Promise<number> {
  await ctx.sealer.sealNow(ctx.orgId);
  const { sequence } = await findLast(ctx.db, ctx.orgId);
  return await store.findBegin(ctx.db, ctx.orgId, moment, sequence);
}

/** The end of the log, including everything committed so far. */
export async function findHead(ctx: Pick<Ctx, "db" | "orgId" | "sealer">): Promise<Position> {
  await ctx.sealer.sealNow(ctx.orgId);
  return await findLast(ctx.db, ctx.orgId);
}

/** The sequence number after which entries at or after this time begin. */
export async function findBegin(db: Queryable, orgId: string, moment: Date, last: Position): Promise<number> {
  return await store.findBegin(db, orgId, moment, last.sequence);
}

const described = eventTypes.map((type) => {
  const { version, summary, objectType } = eventCatalogue[type];
  return { type, version, scope: scopeOfEvent(type), summary, objectType, dataschema: schemaUrn(type) };
});

export async function listEventTypes(): Promise<EventTypes> {
  return {
    data: described.map((one) => ({ ...one, dataSchema: { ...dataSchemaOf(one.type) }, example: exampleOf(one.type) })),
  };
}
