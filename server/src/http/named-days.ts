import type { TSchema } from "typebox";
import { isPlain } from "../core/strict-json.ts";
import { endOfLocalDate, isDay, toMoment } from "../core/time-zones.ts";

/** A place where a day may be named instead of a moment: the beginning of a time, or its end, which is part of it then. */
type DayPlace = { path: string[]; end: "first" | "last" };

/** Where a query or a body with this schema has such places: `Since` and `Before`, wherever they stand in it. */
export function dayPlacesOf(schema: TSchema | undefined, path: string[] = []): DayPlace[] {
  const { properties = {}, "x-day": end } = (schema ?? {}) as {
    properties?: Record<string, TSchema>;
    "x-day"?: unknown;
  };
  if (end === "first" || end === "last") return [{ path, end }];
  return Object.entries(properties).flatMap(([name, member]) => dayPlacesOf(member, [...path, name]));
}

/** Puts the moment that is meant in the place of each day. The zone is only asked for where there is one. */
export async function resolveDays(data: unknown, places: DayPlace[], findZone: () => Promise<string>): Promise<void> {
  for (const { path, end } of places) {
    const holder = path.slice(0, -1).reduce((at, name) => (isPlain(at) ? at[name] : undefined), data);
    const name = path.at(-1)!;
    const given = isPlain(holder) ? holder[name] : undefined;
    if (!isPlain(holder) || typeof given !== "string" || !isDay(given)) continue;
    const zone = await findZone();
    holder[name] = withinYears(end === "first" ? toMoment(given, zone) : endOfLocalDate(given, zone));
  }
}

/** The first and the last day there is begin or end, in some zones, in a year that is not stored. */
function withinYears(moment: string): string {
  if (moment.startsWith("0000")) return "0001-01-01T00:00:00.000Z";
  return moment.startsWith("+") ? "9999-12-31T23:59:59.999Z" : moment;
}
