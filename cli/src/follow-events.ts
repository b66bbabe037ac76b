import type { Event } from "../../sdk/src/hub.ts";
import { HubApiError } from "../../sdk/src/problem.ts";
import type { Given, Options } from "./command.ts";
import type { Connection } from "./connection.ts";
import { usageError } from "./exit.ts";
import { note } from "./output.ts";
import { timeoutOption } from "./time-limit.ts";

export const followOptions: Options = {
  types: { type: "string", multiple: true, text: "Only these types or families, such as order.*; default all" },
  since: {
    type: "string",
    placeholder: "TIME",
    text: "Start with events of this time (2026-11-02T09:30:00Z) or this long ago (90s, 15m, 2h, 1d); default now",
  },
  object: { type: "string", placeholder: "ID", text: "Only events about this record" },
  count: { type: "string", placeholder: "N", text: "Stop after this many events" },
  ...timeoutOption,
};

type Filter = { types?: string; objectId?: string };

/**
 * Events as they happen. It resumes after a lost connection and a restart of the hub. `onReady` is called once the position in
 * the log is known: later events are not missed.
 */
export async function* followEvents(
  { hub }: Connection,
  given: Given,
  { signal, onReady }: { signal: AbortSignal | undefined; onReady(): void },
): AsyncGenerator<Event> {
  const { since, ...filter } = filterOf(given);
  const options = signal ? { signal } : {};
  let after = since === undefined ? await currentCursor(hub, filter, signal) : undefined;
  onReady();
  for (;;) {
    try {
      const start = after === undefined ? (since === undefined ? {} : { since }) : { after };
      for await (const event of hub.events.stream({ ...filter, ...start }, options)) {
        after = event.cursor;
        yield event;
      }
    } catch (error) {
      // The preview was reset or a backup restored: this is another log, which is followed from here on.
      if (!(error instanceof HubApiError) || error.code !== "cursor_mismatch") throw error;
      note("The log of events was replaced. Continuing with new events.");
      after = await currentCursor(hub, filter, signal);
    }
  }
}

/** A stream without a cursor starts with the one it continues from. */
async function currentCursor(
  hub: Connection["hub"],
  filter: Filter,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const input = { query: filter, ...(signal ? { signal } : {}) };
  for await (const { id } of hub.client.stream("GET /api/v1/events/stream", input)) if (id) return id;
  return undefined;
}

function filterOf(given: Given): Filter & { since?: string } {
  const types = given.list("types").join(",");
  const [since, objectId] = [given.text("since"), given.text("object")];
  return {
    ...(types === "" ? {} : { types }),
    ...(objectId === undefined ? {} : { objectId }),
    ...(since === undefined ? {} : { since: timeOf(since) }),
  };
}

const unitMs: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A time, or how long ago. */
export function timeOf(typed: string): string {
  const [, amount, unit] = /^(\d+)([smhd])$/.exec(typed) ?? [];
  const at = unit === undefined ? Date.parse(typed) : Date.now() - Number(amount) * unitMs[unit]!;
  if (Number.isNaN(at))
    throw usageError(`--since must be a time such as 2026-11-02T09:30:00Z, or 15m, not "${typed}".`);
  return new Date(at).toISOString();
}

/** How many events to read; undefined: all. */
export function countOf(given: Given): number | undefined {
  const typed = given.text("count");
  if (typed === undefined) return undefined;
  const count = Number(typed);
  if (!Number.isInteger(count) || count < 1) throw usageError(`--count must be a whole number from 1, not "${typed}".`);
  return count;
}
