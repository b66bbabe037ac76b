import type { ClientConfig } from "pg";
import pg from "pg";
import type { TSchema } from "typebox";
import { Cause } from "../core/cause.ts";
import { Type } from "../core/type.ts";
import { createFinder } from "../core/validation.ts";
import type { Actor } from "../core/actor.ts";
import type { FieldError } from "../core/errors.ts";
import { dataSchemaOf, envelopeOf } from "../events/event-envelope.ts";
import type { EventType } from "../events/event-catalogue.ts";
import { eventCatalogue } from "../events/event-catalogue.ts";

type Recorded = { type: string; object_type: string; data: Record<string, unknown>; actor: Actor };

/** Checks that recorded events match the catalogue, one event per shape. */
export async function checkEvents(connection: ClientConfig): Promise<void> {
  const client = new pg.Client(connection);
  await client.connect();
  const { rows } = await client.query<Recorded>(
    `select distinct on (type, object_type, array(select jsonb_object_keys(data) order by 1)) type, object_type, data, actor
       from recorded_events`,
  );
  await client.end();
  const problems = rows.flatMap((row) => findProblems(row).map((problem) => `${row.type}: ${problem}`));
  if (problems.length > 0) throw new Error(`events do not match the catalogue:\n${problems.join("\n")}`);
}

const known = new Map(Object.entries(eventCatalogue));

type Find = ReturnType<typeof createFinder>;
/** Compiled once per process. */
const recordedAs = new Map<string, Find>();
const handedOnAs = new Map<string, Find>();
const strictly = (schema: TSchema): Find => createFinder({ ...schema, additionalProperties: false }, "body");

function findProblems(row: Recorded): string[] {
  const { type, object_type, data } = row;
  const definition = known.get(type);
  if (!definition) return ["is not in it"];
  const errors = recordedAs.getOrInsertComputed(type, () => {
    const recorded = Type.Object({ ...definition.data.properties, cause: Type.Optional(Cause) });
    return strictly(recorded);
  })(data);
  const problems = [...errors, ...findProblemsHandedOn(type as EventType, row)].map(
    ({ pointer, message }) => `${pointer} ${message}`,
  );
  return object_type === definition.objectType ? problems : [...problems, `is about a ${definition.objectType}`];
}

/** Checks that the delivered envelope matches its documented schema. */
function findProblemsHandedOn(type: EventType, { object_type: objectType, data, actor }: Recorded): FieldError[] {
  const id = "0199f0a0-0000-7000-8000-000000000001";
  const place = {
    orgId: id,
    id,
    objectId: id,
    sequence: 1,
    hash: Buffer.alloc(32),
    requestId: null,
    occurredAt: new Date(),
  };
  const event = envelopeOf("live", { ...place, type, objectType, data, actor });
  return handedOnAs.getOrInsertComputed(type, () => strictly(dataSchemaOf(type)))(event.data);
}
