import { addBusinessDays, collectionDayFrom, foreignDays, workingDaysOf } from "./business-time.ts";
import type { HolidayCalendar } from "./us-holidays.ts";

/** How a promised day was found, so that it can be checked by hand. */
export type PromiseRule = {
  /**
   * `contract`: transit days of the rate card; `carrier_days` and `carrier_date`: as the carrier said with the label or its quote;
   * `service_level`: the usual time of the service.
   */
  basis: "contract" | "carrier_days" | "carrier_date" | "service_level";
  transitDays: number | null;
  /** The day from which transit days are counted. */
  startDate: string | null;
  /** Of the place the parcel is sent from. */
  timeZone: string | null;
  cutoffTime: string | null;
  isAfterCutoff: boolean;
  deliveryDays: "mon_fri" | "mon_sat" | "mon_sun" | null;
  holidays: HolidayCalendar | null;
  rateCardId: string | null;
};

const noRule: Omit<PromiseRule, "basis"> = {
  transitDays: null,
  startDate: null,
  timeZone: null,
  cutoffTime: null,
  isAfterCutoff: false,
  deliveryDays: null,
  holidays: null,
  rateCardId: null,
};

/** The carrier named the day. */
export const carrierDateRule: PromiseRule = { ...noRule, basis: "carrier_date" };

const dayNames = { 5: "mon_fri", 6: "mon_sat", 7: "mon_sun" } as const;

type Sent = { carrier: string | null; service: string | null; isAbroad?: boolean; isSaturdayDelivery?: boolean };

/** The day after so many business days of the carrier, with the rule. */
export function promiseAfter(
  { carrier, service, isAbroad = false, isSaturdayDelivery = false }: Sent,
  { transitDays, startDate, ...rule }: Pick<PromiseRule, "basis"> & Partial<PromiseRule> & Counted,
): { promisedDate: string; promiseRule: PromiseRule } {
  const working = isAbroad ? foreignDays : workingDaysOf(carrier, service, isSaturdayDelivery);
  return {
    promisedDate: addBusinessDays(startDate, transitDays, working),
    promiseRule: {
      ...noRule,
      ...rule,
      transitDays,
      startDate,
      deliveryDays: dayNames[working.lastDay],
      holidays: working.holidays,
    },
  };
}

/** By the contract, for a parcel of which only the ship date is known: counted from the first day on which the carrier takes parcels. */
export function promiseFrom(
  sent: Sent,
  { shipDate, transitDays }: { shipDate: string; transitDays: number },
): { promisedDate: string; promiseRule: PromiseRule } {
  const startDate = collectionDayFrom(shipDate, sent.carrier, sent.service);
  return promiseAfter(sent, { basis: "contract", transitDays, startDate });
}

type Counted = { transitDays: number; startDate: string };

/** When and where a parcel is ready for the carrier. */
export type Handover = { boughtAt: string; shipDate: string; timeZone: string; cutoffTime: string | null };

/**
 * The day on which the carrier gets the parcel: the ship date, but not before the label is bought, the day after if that is at the
 * cut-off or later, and a day on which the carrier takes parcels.
 */
export function handoverDay(
  { boughtAt, shipDate, timeZone, cutoffTime }: Handover,
  { carrier, service }: Sent,
): { startDate: string; isAfterCutoff: boolean } {
  const local = Temporal.Instant.from(boughtAt).toZonedDateTimeISO(timeZone);
  const today = local.toPlainDate();
  const isLate = cutoffTime !== null && local.toPlainTime().toString().slice(0, 5) >= cutoffTime;
  const isAfterCutoff = isLate && shipDate <= today.toString();
  const earliest = (isLate ? today.add({ days: 1 }) : today).toString();
  return {
    startDate: collectionDayFrom(shipDate > earliest ? shipDate : earliest, carrier, service),
    isAfterCutoff,
  };
}
