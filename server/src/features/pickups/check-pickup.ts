import type { CompletePickupRules } from "../../carriers/seam/pickup-rules.ts";
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
  /** Not a reason to reject the pickup. */
  warnings: { code: string; message: string }[];
  /** The requested window if it is valid, else the nearest valid one; null if there is none. */
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

/** All violations of the carrier's rules, each with its own code and pointer, and the nearest valid window. */
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

/** Violations of the day and time rules. */
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
  if (days < 0) add("/pickupDate", "date_in_past", `It is already ${today.toString()} at the pickup address.`);
  else if (days > rules.maxDaysAhead) {
    add("/pickupDate", "too_far_ahead", `Pickups can be scheduled up to ${rules.maxDaysAhead} days ahead.`);
  }
  if (closed?.holiday !== undefined) add("/pickupDate", "holiday", `${date.toString()} is ${closed.holiday}.`);
  else if (closed) {
    const open = rules.serviceDays.toSorted((a, b) => a - b).map(dayName);
    add(
      "/pickupDate",
      "non_service_day",
      `The carrier picks up on ${open.join(", ")}, not on ${dayName(date.dayOfWeek)}.`,
    );
  }
  const minutes = readyAt.until(closeAt).total("minutes");
  if (minutes <= 0) add("/closeTime", "ready_after_close", "closeTime must be after readyTime.");
  else if (minutes < rules.minWindowMinutes) {
    const message = `The window is ${Math.round(minutes)} minutes long; the carrier requires ${rules.minWindowMinutes}.`;
    add("/closeTime", "window_too_short", message);
  }
  // Compared as instants, since a local time skipped by daylight saving is moved to after the gap.
  if (Temporal.ZonedDateTime.compare(readyAt, momentAt(date, limits.earliest, zone)) < 0) {
    add("/readyTime", "ready_too_early", `Pickups start at ${rules.earliestReadyTime}.`);
  }
  if (Temporal.ZonedDateTime.compare(closeAt, momentAt(date, limits.latest, zone)) > 0) {
    add("/closeTime", "close_too_late", `Pickups end at ${rules.latestCloseTime}.`);
  }
  const todays = days === 0 ? sameDayErrors(here, closeAt, rules) : [];
  errors.push(...todays);
  if (days >= 0 && todays.length === 0 && here.until(readyAt).total("minutes") < rules.leadMinutes) {
    add("/readyTime", "lead_time_too_short", `The carrier requires ${rules.leadMinutes} minutes' notice.`);
  }
  return errors;
}

function sameDayErrors(
  here: Temporal.ZonedDateTime,
  closeAt: Temporal.ZonedDateTime,
  rules: CompletePickupRules,
): FieldError[] {
  if (!rules.allowsSameDay) {
    return [{ pointer: "/pickupDate", code: "same_day_not_available", message: "Same-day pickup is not available." }];
  }
  if (Temporal.ZonedDateTime.compare(closeAt, here) <= 0) {
    return [{ pointer: "/closeTime", code: "window_in_past", message: "The window is in the past." }];
  }
  const { cutoffLocalTime } = rules;
  if (cutoffLocalTime !== null && Temporal.PlainTime.compare(here.toPlainTime(), cutoffLocalTime) >= 0) {
    const message = `The cut-off for same-day pickup is ${cutoffLocalTime}; it is ${clock(here.toPlainTime())} at the address.`;
    return [{ pointer: "/pickupDate", code: "cutoff_passed", message }];
  }
  return [];
}

function checkLoad({ packageCount, totalWeight }: PickupPlan, rules: CompletePickupRules): FieldError[] {
  const errors: FieldError[] = [];
  if (packageCount > rules.maxPackages) {
    const message = `A pickup can have up to ${rules.maxPackages} packages.`;
    errors.push({ pointer: "/packageCount", code: "too_many_packages", message });
  }
  if (totalWeight?.value === 0) {
    errors.push({
      pointer: "/totalWeight/value",
      code: "weight_required",
      message: "The weight must be greater than 0.",
    });
  }
  const most = rules.maxTotalWeight;
  if (totalWeight && most && toGrams(totalWeight) > toGrams(most)) {
    const message = `A pickup can weigh up to ${most.value} ${most.unit}.`;
    errors.push({ pointer: "/totalWeight", code: "too_heavy", message });
  }
  return errors;
}

function checkAddress(address: Address, rules: CompletePickupRules): FieldError[] {
  if (rules.allowsPoBox) return [];
  return (["address1", "address2"] as const).flatMap((field) => {
    if (!inPoBox.test(address[field] ?? "")) return [];
    const message = "The carrier does not pick up at PO boxes.";
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
    const message = `The average package weighs more than ${most.value} ${most.unit}.`;
    warnings.push({ code: "heavy_packages", message });
  }
  if (!address.phone?.trim())
    warnings.push({ code: "phone_required", message: "The address has no phone number for the driver." });
  if (!address.name?.trim() && !address.company?.trim()) {
    warnings.push({ code: "contact_required", message: "The address has no contact name or company." });
  }
  return warnings;
}
