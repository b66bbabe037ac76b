import type { Shipment } from "@order-operations-hub/sdk/api-types";
import { cityOfZone, formatDay } from "../../ui/calendar.ts";
import { plural, words } from "../../ui/format.ts";
import type { Tone } from "../../ui/tone.ts";
import { promiseNames, riskNames } from "./shipments.text.ts";

type Promised = Pick<Shipment, "promisedDate" | "promiseSource" | "promiseOutcome" | "riskReasons">;
type Rule = NonNullable<Shipment["promiseRule"]>;

/** "Tue 24 Nov, by the contract" */
export function promiseText({ promisedDate, promiseSource }: Promised): string | null {
  if (!promisedDate) return null;
  const source = promiseSource ? `, ${promiseNames[promiseSource] ?? words(promiseSource)}` : "";
  return `${formatDay(promisedDate)}${source}`;
}

/** Whether the promise was kept, missed, or is at risk. Undefined: nothing to say yet. */
export function promiseState({
  promisedDate,
  promiseOutcome,
  riskReasons,
}: Promised): { text: string; tone: Tone } | undefined {
  if (promiseOutcome === "on_time") return { text: "On time", tone: "ok" };
  if (promiseOutcome === "late") return { text: "Late", tone: "bad" };
  const [reason] = riskReasons;
  if (reason) return { text: `At risk: ${(riskNames[reason] ?? words(reason)).toLowerCase()}`, tone: "bad" };
  return promisedDate && promiseOutcome === "undecided" ? { text: "On schedule", tone: "info" } : undefined;
}

const dayNames: Record<string, string> = {
  mon_fri: "Monday to Friday",
  mon_sat: "Monday to Saturday",
  mon_sun: "every day",
};
const holidayNames: Record<string, string> = {
  us_federal: "except federal holidays",
  us_parcel: "except carrier holidays",
};

/** How the promised day was found. */
export function ruleText({
  transitDays,
  startDate,
  deliveryDays,
  holidays,
  cutoffTime,
  isAfterCutoff,
  timeZone,
}: Rule): string {
  if (transitDays === null || startDate === null) return "The carrier named the day.";
  const calendar = [
    deliveryDays && (dayNames[deliveryDays] ?? words(deliveryDays)),
    holidays && holidayNames[holidays],
  ];
  const known = calendar.filter(Boolean).join(", ");
  const days = known ? ` (${known})` : "";
  const counted = `${plural(transitDays, "business day")} from ${formatDay(startDate)}${days}.`;
  if (!isAfterCutoff || cutoffTime === null) return counted;
  return `${counted} Bought after the cut-off, ${cutoffTime}${timeZone ? ` in ${cityOfZone(timeZone)}` : ""}.`;
}
