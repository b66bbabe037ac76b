import type { Ctx } from "../../context.ts";
import type { LiveReader } from "../../route.ts";
import { Live } from "../../route.ts";
import { findLast } from "../../events/chain.ts";
import { cursorOf } from "../../events/event-envelope.ts";
import { readFilter } from "./event-filter.ts";
import type { Tail, TailEvent } from "./event-tail.ts";
import { blockOf, joinTail, lookAgainMs } from "./event-tail.ts";
import { findStart } from "./events.ts";
import type { StreamQuery } from "./events.schemas.ts";
import type { EventFilter } from "./events.store.ts";
import * as store from "./events.store.ts";

/** Events that are older than what is at hand are read so many at a time, as fast as they are taken. */
const portion = 500;
const pieceBytes = 64 * 1024;
/** More than this at once is not taken in one moment by anybody. */
const mostAtOnceBytes = 192 * 1024;
/** When a reader comes again that was cut off. */
const retryMs = 2_000;

export async function streamEvents(ctx: Ctx, query: StreamQuery, lastEventId: string | undefined): Promise<Live> {
  const filter = readFilter(ctx, query);
  await ctx.sealer.sealNow(ctx.orgId);
  const last = await findLast(ctx.db, ctx.orgId);
  // Who comes again asks for the address of before; what it got meanwhile it says in the header.
  const given =
    lastEventId === undefined || lastEventId === ""
      ? { cursor: query.after, where: "query/after" }
      : { cursor: lastEventId, where: "header/Last-Event-ID" };
  const isFromNow = given.cursor === undefined && filter.since === undefined;
  const after = isFromNow ? last.sequence : await findStart(ctx, last, { ...given, since: filter.since });
  return new Live(async (reader) => {
    const tail = await joinTail(ctx, ctx.orgId);
    try {
      // Whoever listens from now on, and is cut off before anything happens, knows from where to go on.
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
  let saidAt = performance.now();
  while (!reader.ended.aborted) {
    const fresh = tail.after(at);
    if (fresh) {
      at = fresh.at(-1)?.sequence ?? at;
      const blocks = fresh.filter(isWanted).map(({ block }) => block);
      if (blocks.length > 0) saidAt = performance.now();
      await tell(reader, blocks);
    } else {
      const { last } = tail;
      const { events, looked } = await store.look(ctx.db, ctx.orgId, filter, {
        after: at,
        last: last(),
        limit: portion,
      });
      at = looked.sequence;
      saidAt = performance.now();
      await sendAll(reader, [...events.map((event) => blockOf(ctx.environment, event)), `id: ${cursorOf(looked)}\n\n`]);
      continue;
    }
    const quietMs = performance.now() - saidAt;
    if (quietMs >= lookAgainMs) {
      saidAt = performance.now();
      // Only an id: it raises nothing, and moves the cursor of whoever waits for something rare. Also proves the connection.
      if (at === tail.last().sequence) reader.push(`id: ${cursorOf(tail.last())}\n\n`);
    } else if (tail.after(at)?.length === 0) await tail.change(reader.ended, lookAgainMs - quietMs);
  }
}

/** What happens now is not waited for. A great deal at once, as of an import, is. */
async function tell(reader: LiveReader, blocks: string[]): Promise<void> {
  const size = blocks.reduce((sum, block) => sum + block.length, 0);
  if (size > mostAtOnceBytes) await sendAll(reader, blocks);
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
