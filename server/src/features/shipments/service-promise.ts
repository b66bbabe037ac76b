import { levelOfService, usualDays } from "../../carriers/rate-card/service-level.ts";
import type { Address } from "../../core/address.ts";
import { addBusinessDays, workingDaysOf } from "../../core/business-time.ts";
import { countryOfAddress, localDateOf, zoneOfAddress } from "../../core/time-zones.ts";

type Sent = {
  service: string | null;
  carrier: string | null;
  origin: Address | null;
  destination: Address | null;
};

/** The delivery day implied by the service, if none was promised. Null: not accepted yet, international, or unknown service. */
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
  return addBusinessDays(accepted, usualDays[level], workingDaysOf(carrier, service));
}
