import { Type } from "../core/type.ts";
import { Strict } from "../core/schema.ts";
import type { Call } from "./connector.ts";
import { instantOf, minutesBefore, objectOf } from "./shape.ts";

export function lookbackMinutes(description: string) {
  return Type.Optional(
    Type.Integer({
      title: "Look back (minutes)",
      "x-advanced": true,
      minimum: 0,
      maximum: 1440,
      default: 5,
      description,
    }),
  );
}

/** Settings of incremental imports. */
export const importSettings = {
  importSince: Type.Optional(
    Type.String({
      title: "Import since",
      format: "date-time",
      description: "The first import reads changes from this time on; default: all orders the shop lists",
      examples: ["2026-01-01T00:00:00Z"],
    }),
  ),
  lookbackMinutes: lookbackMinutes(
    "How far an import reads back before the newest change it has seen; shops list some changes late",
  ),
};

export const SinceInput = Strict(
  {
    since: Type.Optional(
      Type.String({
        title: "Since",
        format: "date-time",
        description: "Reads changes from this time on again, including those already read",
      }),
    ),
  },
  { examples: [{ since: "2026-01-01T00:00:00Z" }] },
);

/** The time from which changes are read; `cursor` is that of an earlier import that completed. */
export function startOf(call: Call, cursor: unknown): string | undefined {
  const asked = instantOf(call.input.since);
  if (asked !== undefined) return asked;
  const highest = instantOf(objectOf(cursor).highest);
  const lookback = (call.settings.lookbackMinutes as number | undefined) ?? 5;
  return highest === undefined ? instantOf(call.settings.importSince) : minutesBefore(highest, lookback);
}
