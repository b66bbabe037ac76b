import type { DayWindow, WindowQuery } from "../../core/day-window.ts";
import { countDays, toDayWindow, windowBefore } from "../../core/day-window.ts";
import { daysFrom, endOfLocalDate, toMoment } from "../../core/time-zones.ts";
import type { Ctx } from "../../context.ts";
import { findTimeZone } from "../organizations/organizations.ts";

/** A window of days with its moments. `begins`: the start of each day, and of the day after the last. */
export type ReportWindow = { window: DayWindow; before: DayWindow; days: string[]; begins: string[] };

export async function readReportWindow(ctx: Ctx, query: WindowQuery): Promise<ReportWindow> {
  const window = toDayWindow(query, ctx.clock.now(), await findTimeZone(ctx, ctx.orgId));
  const days = daysFrom(window.from, window.to);
  const begins = [...days.map((day) => toMoment(day, window.timeZone)), endOfLocalDate(window.to, window.timeZone)];
  return { window, before: windowBefore(window), days, begins };
}

/** The start of the window before, of each day of the window, and of the day after the last. */
export function beginsWithBefore({ before, begins }: ReportWindow): string[] {
  return [toMoment(before.from, before.timeZone), ...begins];
}

export function presentWindow({ window, begins }: ReportWindow) {
  return { ...window, startsAt: begins[0]!, endsAt: begins.at(-1)!, days: countDays(window) };
}
