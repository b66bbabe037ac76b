import type { CompletePickupRules } from "../../carriers/pickup-rules.ts";
import type { Address } from "../../core/address.ts";
import type { FieldError } from "../../core/errors.ts";
import type { Weight } from "../../core/weight.ts";
import { toGrams } from "../../core/weight.ts";
import type { PickupPlace } from "./pickup-slots.ts";
import { closedBecause, dayName, findSlot, limitsOn } from "./pickup-slots.ts";
import type { LocalWindow } from "./pickup-window.ts";
import { momentAt } from "./pickup-window.ts";

export type PickupPlan = {
  window: LocalWindow;
  packageCount: number;
  totalWeight?: Weight | undefined;
  address: Address;
};

export type Checked = {
  errors: FieldError[];
  /** Worth a look, but no reason to refuse. */
  warnings: { code: string; message: string }[];
  /** The window itself when nothing is wrong with it, else the nearest one that would do; null when there is none. */
  next: LocalWindow | null;
};

const inPoBox = new RegExp(
  [
    String.raw`\bp[\s./-]*o[\s./-]*(box|bx)\b`,
    String.raw`\bp\.?o\.?b\.?\s*#?\s*\d`,
    String.raw`\bpost(al)?[\s-]+(office[\s-]+)?(box|bx)\b`,
    String.raw`\b(postfach|postbus|apartado\s+(postal|de\s+correos)|caixa\s+postal|casella\s+postale)\b`,
    String.raw`\bbo[iî]te\s+postale\b`,
  ].join("|"),
  "iu",
);

/** Everything a carrier would refuse, each with a code and a place of its own; and what it would take instead. */
export function checkPickup(plan: PickupPlan, place: PickupPlace): Checked {
  const timeErrors = checkWindow(plan.window, place);
  const errors = [...timeErrors, ...checkLoad(plan, place.rules), ...checkAddress(plan.address, place.rules)];
  const isFree = timeErrors.length === 0 && !place.takenDays?.has(plan.window.date.toString());
  const next = isFree ? plan.window : findSlot(plan.window, place);
  const hint = next && describeSlot(next);
  const told = errors.map((error) => (timeErrors.includes(error) && hint ? { ...error, suggestion: hint } : error));
  return { errors: told, warnings: warningsOf(plan, place.rules), next };
}

export function describeSlot({ date, ready, close }: LocalWindow): string {
  return `${date.toString()} ${clock(ready)}-${clock(close)}`;
}

function clock(time: Temporal.PlainTime): string {
  return time.toString({ smallestUnit: "minute" });
}

/** What is wrong with the day and the hours. */
export function checkWindow({ date, ready, close }: LocalWindow, place: PickupPlace): FieldError[] {
  const { rules, zone, now } = place;
  const errors: FieldError[] = [];
  const add = (pointer: string, code: string, message: string): void => void errors.push({ pointer, code, message });
  const here = now.toZonedDateTimeISO(zone);
  const today = here.toPlainDate();
  const [readyAt, closeAt] = [momentAt(date, ready, zone), momentAt(date, close, zone)];
  const days = today.until(date).days;
  const closed = closedBecause(date, rules);
  const limits = limitsOn(rules);
  if (days < 0) add("/pickupDate", "date_in_past", `It is ${today.toString()} at the pickup address already.`);
  else if (days > rules.maxDaysAhead) {
    add("/pickupDate", "too_far_ahead", `The carrier takes pickups up to ${rules.maxDaysAhead} days ahead.`);
  }
  if (closed?.holiday !== undefined) add("/pickupDate", "holiday", `${date.toString()} is ${closed.holiday}.`);
  else if (closed) {
    const open = rules.serviceDays.toSorted((a, b) => a - b).map(dayName);
    add(
      "/pickupDate",
      "non_service_day",
      `The carrier comes on ${open.join(", ")}, not on ${dayName(date.dayOfWeek)}.`,
    );
  }
  const minutes = readyAt.until(closeAt).total("minutes");
  if (minutes <= 0) add("/closeTime", "ready_after_close", "The window ends before it begins.");
  else if (minutes < rules.minWindowMinutes) {
    const message = `The window has ${Math.round(minutes)} minutes; the carrier needs ${rules.minWindowMinutes}.`;
    add("/closeTime", "window_too_short", message);
  }
  // As moments: an hour that the clocks skip is over when it would begin.
  if (Temporal.ZonedDateTime.compare(readyAt, momentAt(date, limits.earliest, zone)) < 0) {
    add("/readyTime", "ready_too_early", `The carrier comes from ${rules.earliestReadyTime} on.`);
  }
  if (Temporal.ZonedDateTime.compare(closeAt, momentAt(date, limits.latest, zone)) > 0) {
    add("/closeTime", "close_too_late", `The carrier comes until ${rules.latestCloseTime}.`);
  }
  const todays = days === 0 ? sameDayErrors(here, closeAt, rules) : [];
  errors.push(...todays);
  if (days >= 0 && todays.length === 0 && here.until(readyAt).total("minutes") < rules.leadMinutes) {
    add("/readyTime", "lead_time_too_short", `The carrier needs ${rules.leadMinutes} minutes from the request on.`);
  }
  return errors;
}

function sameDayErrors(
  here: Temporal.ZonedDateTime,
  closeAt: Temporal.ZonedDateTime,
  rules: CompletePickupRules,
): FieldError[] {
  if (!rules.allowsSameDay) {
    return [
      { pointer: "/pickupDate", code: "same_day_not_available", message: "The carrier does not come on the same day." },
    ];
  }
  if (Temporal.ZonedDateTime.compare(closeAt, here) <= 0) {
    return [{ pointer: "/closeTime", code: "window_in_past", message: "The window is over already." }];
  }
  const { cutoffLocalTime } = rules;
  if (cutoffLocalTime !== null && Temporal.PlainTime.compare(here.toPlainTime(), cutoffLocalTime) >= 0) {
    const message = `For the same day the carrier is asked before ${cutoffLocalTime}; it is ${clock(here.toPlainTime())} there.`;
    return [{ pointer: "/pickupDate", code: "cutoff_passed", message }];
  }
  return [];
}

function checkLoad({ packageCount, totalWeight }: PickupPlan, rules: CompletePickupRules): FieldError[] {
  const errors: FieldError[] = [];
  if (packageCount > rules.maxPackages) {
    const message = `The carrier takes up to ${rules.maxPackages} packages at a time.`;
    errors.push({ pointer: "/packageCount", code: "too_many_packages", message });
  }
  if (totalWeight?.value === 0) {
    errors.push({ pointer: "/totalWeight/value", code: "weight_required", message: "Nothing at all weighs nothing." });
  }
  const most = rules.maxTotalWeight;
  if (totalWeight && most && toGrams(totalWeight) > toGrams(most)) {
    const message = `The carrier takes up to ${most.value} ${most.unit} at a time.`;
    errors.push({ pointer: "/totalWeight", code: "too_heavy", message });
  }
  return errors;
}

function checkAddress(address: Address, rules: CompletePickupRules): FieldError[] {
  if (rules.allowsPoBox) return [];
  return (["address1", "address2"] as const).flatMap((field) => {
    if (!inPoBox.test(address[field] ?? "")) return [];
    const message = "Nobody can be met at a post office box.";
    return [{ pointer: `/pickupAddress/${field}`, code: "po_box_not_allowed", message }];
  });
}

function warningsOf(
  { packageCount, totalWeight, address }: PickupPlan,
  rules: CompletePickupRules,
): Checked["warnings"] {
  const warnings: Checked["warnings"] = [];
  const most = rules.maxAverageWeight;
  if (totalWeight && most && toGrams(totalWeight) / packageCount > toGrams(most)) {
    const message = `On average a package weighs more than ${most.value} ${most.unit}.`;
    warnings.push({ code: "heavy_packages", message });
  }
  if (!address.phone?.trim()) warnings.push({ code: "phone_required", message: "The driver has no number to call." });
  if (!address.name?.trim() && !address.company?.trim()) {
    warnings.push({ code: "contact_required", message: "There is no name to ask for." });
  }
  return warnings;
}
