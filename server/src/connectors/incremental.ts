import { Type } from "../core/type.ts";
import { Strict } from "../core/schema.ts";
import type { Call } from "./connector.ts";
import { instantOf, minutesBefore, objectOf } from "./shape.ts";

export function overlapMinutes(description: string) {
  return Type.Optional(
    Type.Integer({
      title: "Overlap in minutes",
      "x-advanced": true,
      minimum: 0,
      maximum: 1440,
      default: 5,
      description,
    }),
  );
}

/** Settings and input of tasks that read what changed since the last time. */
export const importSettings = {
  importSince: Type.Optional(
    Type.String({
      title: "Import since",
      format: "date-time",
      description: "The first import reads what changed from this moment on; without it, everything the shop shows",
      examples: ["2026-01-01T00:00:00Z"],
    }),
  ),
  overlapMinutes: overlapMinutes(
    "How far an import reaches back behind the newest change it has seen; shops show some changes late",
  ),
};

export const SinceInput = Strict(
  {
    since: Type.Optional(
      Type.String({
        title: "Since",
        format: "date-time",
        description: "Read again what changed from this moment on, whatever was read before",
      }),
    ),
  },
  { examples: [{ since: "2026-01-01T00:00:00Z" }] },
);

/** From which moment on changes are to be read; `cursor` is of an earlier import that read everything there was. */
export function startOf(call: Call, cursor: unknown): string | undefined {
  const asked = instantOf(call.input.since);
  if (asked !== undefined) return asked;
  const highest = instantOf(objectOf(cursor).highest);
  const overlap = (call.settings.overlapMinutes as number | undefined) ?? 5;
  return highest === undefined ? instantOf(call.settings.importSince) : minutesBefore(highest, overlap);
}
