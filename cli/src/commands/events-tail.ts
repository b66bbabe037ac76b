import type { Event } from "../../../sdk/src/hub.ts";
import type { Command, Given } from "../command.ts";
import { connectionOptions, outputOptions } from "../command.ts";
import { connect } from "../connection.ts";
import { countOf, followEvents, followOptions } from "../follow-events.ts";
import { formatOf, note, print, printRecords } from "../output.ts";
import { withTimeLimit } from "../time-limit.ts";

export const eventsTail: Command = {
  summary: "Print events as they happen",
  options: { ...followOptions, ...outputOptions, ...connectionOptions },
  details: `Resumes after a lost connection. Needs the scope events:read.

  hub events tail --types 'order.*' --since 15m
  hub events tail --types operation_run.succeeded --count 1 --timeout 60`,
  async run(given) {
    const connection = connect(given);
    const count = countOf(given) ?? Number.POSITIVE_INFINITY;
    await withTimeLimit(given, async (signal) => {
      const onReady = (): void => note(`Waiting for events of ${connection.url}. Ctrl-C stops.`);
      await printEvents(take(followEvents(connection, given, { signal, onReady }), count), given);
    });
    return undefined;
  },
};

/** A line for each event on a terminal: a table would wait for the last one. */
async function printEvents(events: AsyncIterable<Event>, given: Given): Promise<void> {
  if (formatOf(given) !== "table" || given.text("fields") !== undefined) return await printRecords(events, { given });
  for await (const { time, type, subject } of events) await print(`${time}  ${type.padEnd(24)}  ${subject}`);
}

async function* take<One>(all: AsyncIterable<One>, count: number): AsyncGenerator<One> {
  let left = count;
  for await (const one of all) {
    yield one;
    if (--left <= 0) return;
  }
}
