import { setTimeout as delay } from "node:timers/promises";
import type { Command, Given } from "../command.ts";
import { connectionOptions, outputOptions } from "../command.ts";
import type { Connection } from "../connection.ts";
import { connect } from "../connection.ts";
import { isTemporary } from "../../../sdk/src/live-streams.ts";
import { countOf } from "../follow-events.ts";
import { formatOf, note, print, printRecords } from "../output.ts";
import { timeoutOption, withTimeLimit } from "../time-limit.ts";

const everyMs = 1_000;
/** Newest entries that each look reads. The hub logs fewer in a second. */
const pageSize = 100;
const maxSeen = 2_000;
/** The list that this command reads would otherwise show itself. */
const ownRoute = "/api/v1/requests";

type LoggedRequest = Awaited<ReturnType<ReturnType<Connection["hub"]["requests"]["list"]>["page"]>>["data"][number];

export const logsTail: Command = {
  summary: "Print API requests as they happen",
  options: {
    failed: { type: "boolean", text: "Only requests with a status of 400 and above" },
    method: { type: "string", values: ["GET", "POST", "PUT", "PATCH", "DELETE"], text: "" },
    route: { type: "string", text: "Path with the names of IDs, such as /api/v1/orders/:id" },
    code: { type: "string", text: "Error code" },
    count: { type: "string", placeholder: "N", text: "Stop after this many requests" },
    ...timeoutOption,
    ...outputOptions,
    ...connectionOptions,
  },
  details: `Requests of API keys, and changes and failures of users; no bodies. Needs the scope audit:read. hub requests list shows
earlier ones.`,
  async run(given) {
    const connection = connect(given);
    const count = countOf(given) ?? Number.POSITIVE_INFINITY;
    await withTimeLimit(given, (signal) => printRequests(newRequests(connection, given, count, signal), given));
    return undefined;
  },
};

async function* newRequests(
  { hub, url }: Connection,
  given: Given,
  count: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<LoggedRequest> {
  const query = { ...queryOf(given), limit: pageSize };
  const seen = new Set((await hub.requests.list(query, signal ? { signal } : {}).page()).data.map(({ id }) => id));
  note(`Waiting for requests to ${url}. Ctrl-C stops.`);
  let left = count;
  for (;;) {
    await delay(everyMs, undefined, signal ? { signal } : {});
    const page = await hub.requests
      .list(query, signal ? { signal } : {})
      .page()
      // A hub that restarts is back soon; meanwhile its proxy answers 502 or 503.
      .catch((error: unknown) => {
        if (isTemporary(error)) return { data: [] };
        throw error;
      });
    for (const request of page.data.toReversed()) {
      if (seen.has(request.id) || request.route === ownRoute) continue;
      seen.add(request.id);
      yield request;
      if (--left <= 0) return;
    }
    // In the order of their insertion: the oldest are no longer on the page.
    for (const id of seen) if (seen.size > maxSeen) seen.delete(id);
  }
}

function queryOf(given: Given) {
  const [method, route, code] = [given.text("method"), given.text("route"), given.text("code")];
  return {
    ...(given.flag("failed") ? { outcome: "failed" as const } : {}),
    ...(method === undefined ? {} : { method: method as "GET" | "POST" | "PUT" | "PATCH" | "DELETE" }),
    ...(route === undefined ? {} : { route }),
    ...(code === undefined ? {} : { code }),
  };
}

async function printRequests(requests: AsyncIterable<LoggedRequest>, given: Given): Promise<void> {
  if (formatOf(given) !== "table" || given.text("fields") !== undefined) return await printRecords(requests, { given });
  for await (const { at, method, route, status, code, durationMs, requestId } of requests) {
    const failure = code === null ? "" : `  ${code}  ${requestId}`;
    await print(`${at}  ${status}  ${method.padEnd(6)} ${route}  ${durationMs} ms${failure}`);
  }
}
