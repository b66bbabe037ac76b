import type { Ctx } from "../../context.ts";
import type { LiveReader } from "../../route.ts";
import { Live } from "../../route.ts";
import { findLast } from "../../events/chain.ts";
import { cursorOf } from "../../events/event-envelope.ts";
import { readFilter } from "./event-filter.ts";
import type { Tail, TailEvent } from "./event-tail.ts";
import { blockOf, joinTail, pollIntervalMs } from "./event-tail.ts";
import { findStart } from "./events.ts";
import type { StreamQuery } from "./events.schemas.ts";
import type { EventFilter } from "./events.store.ts";
import * as store from "./events.store.ts";

/** Events older than the tail are read in batches, as fast as the reader takes them. */
const batchSize = 500;
const pieceBytes = 64 * 1024;
/** A larger burst is sent with backpressure. */
const maxBurstBytes = 192 * 1024;
/** Reconnect delay for a reader that was disconnected. */
const retryMs = 2_000;

export async function streamEvents(ctx: Ctx, query: StreamQuery, lastEventId: string | undefined): Promise<Live> {
  const filter = readFilter(ctx, query);
  await ctx.sealer.sealNow(ctx.orgId);
  const last = await findLast(ctx.db, ctx.orgId);
  // A reader that reconnects repeats its first URL; the header says what it has received since.
  const given =
    lastEventId === undefined || lastEventId === ""
      ? { cursor: query.after, where: "query/after" }
      : { cursor: lastEventId, where: "header/Last-Event-ID" };
  const isFromNow = given.cursor === undefined && filter.since === undefined;
  const after = isFromNow ? last.sequence : await findStart(ctx, last, { ...given, since: filter.since });
  return new Live(async (reader) => {
    const tail = await joinTail(ctx, ctx.orgId);
    try {
      // A reader that starts now and is disconnected before the first event can resume from this id.
      reader.push(isFromNow ? `retry: ${retryMs}\nid: ${cursorOf(last)}\n\n` : `retry: ${retryMs}\n\n`);
      await follow(ctx, { filter, reader, tail }, after);
    } finally {
      tail.leave();
    }
  });
}

type Following = { filter: EventFilter; reader: LiveReader; tail: Tail };

async function follow(ctx: Ctx, { filter, reader, tail }: Following, after: number): Promise<void> {
  const types = new Set<string>(filter.types);
  const isWanted = (event: TailEvent): boolean =>
    types.has(event.type) &&
    (filter.objectId === undefined || event.objectIds.includes(filter.objectId)) &&
    (filter.since === undefined || event.occurredAt >= filter.since);
  let at = after;
  let sentAt = performance.now();
  while (!reader.ended.aborted) {
    const fresh = tail.after(at);
    if (fresh) {
      at = fresh.at(-1)?.sequence ?? at;
      const blocks = fresh.filter(isWanted).map(({ block }) => block);
      if (blocks.length > 0) sentAt = performance.now();
      await send(reader, blocks);
    } else {
      const { last } = tail;
      const { events, reached } = await store.readMatching(ctx.db, ctx.orgId, filter, {
        after: at,
        last: last(),
        limit: batchSize,
      });
      at = reached.sequence;
      sentAt = performance.now();
      await sendAll(reader, [
        ...events.map((event) => blockOf(ctx.environment, event)),
        `id: ${cursorOf(reached)}\n\n`,
      ]);
      continue;
    }
    const quietMs = performance.now() - sentAt;
    if (quietMs >= pollIntervalMs) {
      sentAt = performance.now();
      // A block with only an id raises no event. It moves the cursor of a reader of rare types and keeps the connection alive.
      if (at === tail.last().sequence) reader.push(`id: ${cursorOf(tail.last())}\n\n`);
    } else if (tail.after(at)?.length === 0) await tail.change(reader.ended, pollIntervalMs - quietMs);
  }
}

/** Pushes new events without waiting; a large burst, as of an import, waits for the reader. */
async function send(reader: LiveReader, blocks: string[]): Promise<void> {
  const size = blocks.reduce((sum, block) => sum + block.length, 0);
  if (size > maxBurstBytes) await sendAll(reader, blocks);
  else if (size > 0) reader.push(blocks.join(""));
}

async function sendAll(reader: LiveReader, blocks: string[]): Promise<void> {
  let piece = "";
  for (const block of blocks) {
    piece += block;
    if (piece.length < pieceBytes) continue;
    await reader.send(piece);
    piece = "";
  }
  if (piece !== "") await reader.send(piece);
}
