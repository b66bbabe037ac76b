import type { ClientConfig } from "pg";
import pg from "pg";
import { createFinder } from "../core/validation.ts";
import { eventCatalogue } from "../events/event-catalogue.ts";

type Recorded = { type: string; object_type: string; data: unknown };

/** What a hub has recorded is what the catalogue says, no more and no less. One of each shape is looked at. */
export async function checkEvents(connection: ClientConfig): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  const { rows } = await client.query<Recorded>(
    `select distinct on (type, object_type, array(select jsonb_object_keys(data) order by 1)) type, object_type, data
       from recorded_events`,
  );
  await client.end();
  const problems = rows.flatMap((row) => findProblems(row).map((problem) => `${row.type}: ${problem}`));
  if (problems.length > 0) throw new Error(`events are not as the catalogue has them:\n${problems.join("\n")}`);
}

const known = new Map(Object.entries(eventCatalogue));

function findProblems({ type, object_type, data }: Recorded): string[] {
  const definition = known.get(type);
  if (!definition) return ["is not in it"];
  const errors = createFinder({ ...definition.data, additionalProperties: false }, "body")(data);
  const problems = errors.map(({ pointer, message }) => `${pointer} ${message}`);
  return object_type === definition.objectType ? problems : [...problems, `is about a ${definition.objectType}`];
}
