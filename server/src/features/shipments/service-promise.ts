import { levelOfService, usualDays } from "../../carriers/rate-card/service-level.ts";
import type { Address } from "../../core/address.ts";
import { countryOfAddress, localDateOf, zoneOfAddress } from "../../core/time-zones.ts";
import { promiseAfter } from "../../core/transit-promise.ts";

type Sent = {
  service: string | null;
  carrier: string | null;
  origin: Address | null;
  destination: Address | null;
};

/** The delivery day implied by the service, if none was promised. Undefined: not accepted yet, international, or unknown service. */
export function servicePromise(
  { service, carrier, origin, destination }: Sent,
  acceptedAt: string | null,
  timezone: string,
): ReturnType<typeof promiseAfter> | undefined {
  if (service === null || acceptedAt === null) return undefined;
  const level = levelOfService(service);
  const to = destination && countryOfAddress(destination);
  const from = (origin && countryOfAddress(origin)) ?? to;
  if (level === undefined || to !== "US" || from !== "US") return undefined;
  const timeZone = (origin && zoneOfAddress(origin)) ?? timezone;
  return promiseAfter(
    { carrier, service },
    {
      basis: "service_level",
      transitDays: usualDays[level],
      startDate: localDateOf(acceptedAt, timeZone),
      timeZone,
    },
  );
}
