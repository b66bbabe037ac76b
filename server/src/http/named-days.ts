import type { TSchema } from "typebox";
import { isPlain } from "../core/strict-json.ts";
import { endOfLocalDate, isDay, toMoment } from "../core/time-zones.ts";

/** A field that accepts a day instead of an instant: the start of a range, or its end, which includes the day. */
type DayPlace = { path: string[]; end: "first" | "last" };

/** The fields of a query or body with the schemas `Since` and `Before`, at any depth. */
export function dayPlacesOf(schema: TSchema | undefined, path: string[] = []): DayPlace[] {
  const { properties = {}, "x-day": end } = (schema ?? {}) as {
    properties?: Record<string, TSchema>;
    "x-day"?: unknown;
  };
  if (end === "first" || end === "last") return [{ path, end }];
  return Object.entries(properties).flatMap(([name, member]) => dayPlacesOf(member, [...path, name]));
}

/** Replaces each day by its instant. The zone is read only if there is a day. */
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

/** In some zones the first and the last valid day start or end in a year that cannot be stored. */
function withinYears(moment: string): string {
  if (moment.startsWith("0000")) return "0001-01-01T00:00:00.000Z";
  return moment.startsWith("+") ? "9999-12-31T23:59:59.999Z" : moment;
}
