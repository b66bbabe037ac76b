import { followRecord } from "../../sdk/src/live-streams.ts";
import type { Given } from "./command.ts";
import type { Connection } from "./connection.ts";
import { formatOf, printRecord } from "./output.ts";
import { withTimeLimit } from "./time-limit.ts";

/** Prints the states of a record until it has ended; in a table only the last one. */
export async function watchRecord({ client }: Connection, key: string, input: object, given: Given): Promise<void> {
  const isTable = formatOf(given) === "table";
  const last = await withTimeLimit(given, async (signal) => {
    let state: unknown;
    for await (state of followRecord(() => client.stream(key, { ...input, signal }), signal)) {
      if (!isTable) await printRecord(state, { given });
    }
    return state;
  });
  if (isTable) await printRecord(last, { given });
}
