import type { ServiceLevel } from "../../carriers/rate-card/service-level.ts";
import { levelOfService } from "../../carriers/rate-card/service-level.ts";
import type { Address } from "../../core/address.ts";
import { addBusinessDays, calendarOfCarrier } from "../../core/business-time.ts";
import { countryOfAddress, localDateOf, zoneOfAddress } from "../../core/time-zones.ts";

/** Business days from the first scan within which carriers deliver in the United States, by what they sell it as. */
const businessDays: Record<ServiceLevel, number> = {
  media: 8,
  economy: 8,
  ground: 5,
  three_day: 3,
  two_day: 2,
  two_day_am: 2,
  overnight_saver: 1,
  overnight: 1,
  overnight_early: 1,
  same_day: 0,
};

type Sent = {
  service: string | null;
  carrier: string | null;
  origin: Address | null;
  destination: Address | null;
};

/** The day that the service stands for, where nobody named one. Null: not accepted yet, abroad, or an unknown service. */
export function servicePromise(
  { service, carrier, origin, destination }: Sent,
  acceptedAt: string | null,
  timezone: string,
): string | null {
  if (service === null || acceptedAt === null) return null;
  const level = levelOfService(service);
  const to = destination && countryOfAddress(destination);
  const from = (origin && countryOfAddress(origin)) ?? to;
  if (level === undefined || to !== "US" || from !== "US") return null;
  const accepted = localDateOf(acceptedAt, (origin && zoneOfAddress(origin)) ?? timezone);
  return addBusinessDays(accepted, businessDays[level], calendarOfCarrier(carrier));
}
