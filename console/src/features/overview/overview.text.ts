import { plural, sentence, words } from "../../ui/format.ts";
import type { AttentionItem } from "./overview.queries.ts";

/** Definitions of the figures, as in the API reference. */
export const definitions = {
  onTime:
    "Shipments whose first delivery attempt was on or before the promised day. Counted are shipments with a first attempt in these days, and shipments without any attempt whose promised day ended in them.",
  received: "Orders with an order date in these days, archived and cancelled ones included.",
  shipped: "Shipments with a ship date in these days. Cancelled ones are left out.",
  toShip: "Median time from the order to the ship date, for shipments that shipped in these days.",
  cost: "Average cost of labels requested in these days, as bought. Voided labels are left out.",
};

const riskTexts: Record<string, { what: string; why: string }> = {
  late: { what: "late", why: "the promised day is over" },
  predicted_late: { what: "expected late", why: "the carrier expects delivery after the promised day" },
  stalled: { what: "stalled", why: "no carrier scan for 48 hours of working days, 96 between countries" },
  exception: { what: "held up", why: "the carrier reports a problem or a delay" },
  attempt_failed: { what: "undelivered", why: "the delivery attempt failed" },
  not_accepted: { what: "not scanned", why: "no carrier scan 24 hours after the ship date" },
};

const kindNames: Record<string, [one: string, many: string]> = {
  rejected_record: ["rejected record", "rejected records"],
  import_conflict: ["import conflict", "import conflicts"],
  recall: ["failed recall", "failed recalls"],
  push: ["failed update of a shop", "failed updates of shops"],
  label: ["label problem", "label problems"],
  pickup: ["pickup problem", "pickup problems"],
  manifest: ["manifest problem", "manifest problems"],
  execution: ["failed task", "failed tasks"],
  stock: ["stock shortage", "stock shortages"],
};

const shownCauses = 3;

/** "4 label problems, 2 stock shortages and 3 more". */
function causesText(causes: AttentionItem["causes"]): string {
  const named = causes.slice(0, shownCauses).map(({ name, count }) => {
    const [one, many] = kindNames[name] ?? [words(name), words(name)];
    return plural(count, one, many);
  });
  const rest = causes.slice(shownCauses).reduce((sum, { count }) => sum + count, 0);
  return [...named, ...(rest > 0 ? [`${rest} more`] : [])].join(", ");
}

/** Title, reason and button of each item. `runName`: name of a run by its steps. */
export function attentionText(
  item: AttentionItem,
  runName: (actionTypes: readonly string[]) => string,
  lateFor: string,
): { what: string; why: string; button: string } {
  const { kind, count, total, name, message, causes } = item;
  const shown = `${plural(count, "order")}${item.isCapped ? " or more" : ""}`;
  switch (kind) {
    case "late_orders":
      return {
        what: count === 1 ? "1 order is late" : `${shown} are late`,
        why: `oldest ${name ?? ""}, ${lateFor} past its ship-by time`,
        button: "Open orders",
      };
    case "failing_bridge":
      return {
        what: `${name ?? "A connection"} is failing`,
        why: `${message ? `${message.replace(/\.$/, "")}, ` : ""}${plural(count, "failure")} in a row`,
        button: "Open connection",
      };
    case "unknown_labels":
      return {
        what: count === 1 ? "1 label has an unknown outcome" : `${count} labels have an unknown outcome`,
        why: "the carrier did not answer and may have charged for them",
        button: "Check labels",
      };
    case "exceptions":
      return { what: plural(count, "open exception"), why: causesText(causes), button: "Review" };
    case "stock_shortages":
      return {
        what: plural(count, "stock shortage"),
        why: "no location has the items of these orders",
        button: "Review stock",
      };
    case "failed_run":
      return {
        what: `${name ?? runName(item.actionTypes)}: ${count} of ${plural(total ?? count, "order")} failed`,
        why: causes.map(({ name: code }) => words(code)).join(", "),
        button: "Fix",
      };
    case "risky_shipments": {
      const { what, why } = riskTexts[item.reason ?? ""] ?? { what: "at risk", why: "" };
      return {
        what: `${plural(count, "shipment")} ${count === 1 ? "is" : "are"} ${what}`,
        why,
        button: "Open shipments",
      };
    }
    case "paused_automation":
      return { what: `Automation ${name ?? ""} was paused`, why: message ?? "", button: "Open automation" };
    default:
      return { what: `${sentence(kind)}: ${count}`, why: message ?? "", button: "Review" };
  }
}

export const moreNames: Record<string, [one: string, many: string]> = {
  failing_bridge: ["more connection is failing", "more connections are failing"],
  failed_run: ["more run has failed orders", "more runs have failed orders"],
  paused_automation: ["more automation is paused", "more automations are paused"],
};

export const text = {
  noShipments: "No shipments yet. Shipments come with labels, from a connection, the API, or a CSV file.",
  stale: "The latest figures could not be loaded. These are the last ones.",
  allWell: "Nothing needs attention.",
};
