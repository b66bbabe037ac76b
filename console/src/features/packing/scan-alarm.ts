import type { PackingSession } from "@order-operations-hub/sdk/api-types";
import { HubApiError } from "@order-operations-hub/sdk/problem";
import type { Clock } from "../../ui/clock.ts";
import { formatTime } from "../../ui/zone.tsx";
import type { PackItem } from "./packing.queries.ts";
import { nameOf } from "./packing.text.ts";

/** What went wrong, shown in red until the next right scan. */
export type Alarm = {
  title: string;
  text: string;
  /** Line that was expected, and how the scan differed from it. */
  lineId?: string | undefined;
  compared?: string | undefined;
  /** The code of a wrong item. */
  wrongCode?: string;
  /** The order that another packer has. */
  takeOver?: string | undefined;
};

/** The line to scan next: the last one that was scanned until it is complete, then the first that is not. */
export function currentItem(
  { items }: Pick<PackingSession, "items">,
  lastLine: string | undefined,
): PackItem | undefined {
  const open = items.filter(({ packed, needed }) => packed < needed);
  return open.find(({ lineId }) => lineId === lastLine) ?? open[0];
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Says what was scanned, what is needed and what to do next. */
export function scanAlarm(
  error: unknown,
  code: string,
  session: PackingSession | undefined,
  lastLine: string | undefined,
  clock: Clock,
): Alarm {
  if (!(error instanceof HubApiError)) return { title: "The scan did not count", text: messageOf(error) };
  const next = session && currentItem(session, lastLine);
  switch (error.code) {
    case "wrong_item": {
      const wrong = { title: `Wrong item: ${code}`, wrongCode: code };
      if (!next) return { ...wrong, text: "All items of this order are packed. Put it back." };
      return {
        ...wrong,
        text: `This order needs ${nameOf(next)}. Put the scanned item back.`,
        lineId: next.lineId,
        compared: `Scanned ${code}, expected ${next.sku}`,
      };
    }
    case "too_many_items":
      return { title: `Too many: ${code}`, text: `${error.message} Put the extra one back.` };
    case "item_not_needed":
      return { title: `Not needed: ${code}`, text: error.message };
    case "packing_in_progress":
      return { title: "Another packer has this order", text: packerText(error, clock), takeOver: code };
    case "order_not_found":
      return { title: `Not found: ${code}`, text: "No order has this number or tracking number." };
    case "invalid_state":
      return { title: "This order cannot be packed", text: error.message };
    default:
      return { title: "The scan did not count", text: error.message };
  }
}

type Taken = { packer?: { email?: string; name?: string }; station?: string | null; since?: string };

function packerText({ problem, message }: HubApiError, clock: Clock): string {
  const { packer, station, since } = problem as Taken;
  const who = packer?.email ?? packer?.name;
  if (who === undefined || since === undefined) return message;
  return `${who} has been packing it${station ? ` at ${station}` : ""} since ${formatTime(since, clock)}.`;
}
