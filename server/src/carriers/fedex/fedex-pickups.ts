import type { Carrier, CarrierCall } from "../seam/carrier.ts";
import { unreadable } from "../seam/failures.ts";
import { RemoteError } from "../seam/http.ts";
import { localClock } from "../seam/local-time.ts";
import { poundsOf } from "../seam/measures.ts";
import { notSupported } from "../seam/option-checks.ts";
import type { PickupConfirmation, PickupRequest } from "../seam/pickups.ts";
import { asList, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { cannotFindOut, sendOnce, wasSent } from "../seam/repeats.ts";
import { accountOf, askFedex } from "./fedex-request.ts";
import { fedexService } from "./fedex-services.ts";
import { partyOf } from "./fedex-shipment.ts";

type Cancellation = Parameters<NonNullable<Carrier["cancelPickup"]>>[1];

/** FedEx cannot be asked for pickups: after a lost response a person has to check. */
export async function scheduleFedexPickup(call: CarrierCall, request: PickupRequest): Promise<PickupConfirmation> {
  if (wasSent(call)) throw cannotFindOut("FedEx", "pickup");
  const carrierCode = carrierCodeOf(call, request);
  const json = pickupBody(call, request, carrierCode);
  const booking = { method: "POST", path: "/pickup/v1/pickups", json } as const;
  const { output } = await sendOnce(call, () => askFedex(call, booking));
  return readFedexPickup(output, { carrierCode, scheduledDate: request.readyTime.slice(0, 10) });
}

/** Express and Ground send different drivers. */
function carrierCodeOf({ settings }: CarrierCall, { parcels }: PickupRequest): string {
  const codes = new Set(parcels.map(({ service }) => (fedexService(service).isGround ? "FDXG" : "FDXE")));
  if (codes.size > 1)
    throw notSupported("FedEx", "Express and Ground parcels in one pickup", "Book a pickup for each.");
  return [...codes][0] ?? (settings.pickupNetwork === "ground" ? "FDXG" : "FDXE");
}

function pickupBody(call: CarrierCall, request: PickupRequest, carrierCode: string): Json {
  const { address, readyTime, closeTime, packageCount, totalWeight, instructions } = request;
  return {
    associatedAccountNumber: accountOf(call),
    originDetail: {
      pickupAddressType: "OTHER",
      pickupLocation: { ...partyOf(address, "pickup", false), accountNumber: accountOf(call) },
      // Local time at the address, whatever the letter at its end.
      readyDateTimestamp: `${readyTime.slice(0, 10)}T${localClock(readyTime)}:00Z`,
      customerCloseTime: `${localClock(closeTime)}:00`,
      packageLocation: "FRONT",
    },
    carrierCode,
    packageCount,
    ...(totalWeight ? { totalWeight: { units: "LB", value: poundsOf(totalWeight, 1) } } : {}),
    ...(instructions === undefined ? {} : { remarks: instructions.slice(0, 60) }),
  };
}

/** Confirmation numbers repeat from day to day: date, network and location are needed to cancel. */
export function readFedexPickup(
  output: Json,
  booked: { carrierCode: string; scheduledDate: string },
): PickupConfirmation {
  const confirmationNumber = asText(output.pickupConfirmationCode);
  if (confirmationNumber === undefined) throw unreadable("FedEx", "pickup confirmation number");
  const location = asText(output.location);
  const alerts = asList(output.alerts).flatMap(({ message }) => asText(message) ?? []);
  const words = asText(output.message);
  return {
    confirmationNumber,
    messages: [...(words === undefined ? [] : [words]), ...alerts],
    carrierData: { ...booked, ...(location === undefined ? {} : { location }) },
  };
}

export async function cancelFedexPickup(call: CarrierCall, pickup: Cancellation): Promise<void> {
  const { confirmationNumber, reason, carrierData } = pickup;
  const { carrierCode, scheduledDate, location } = carrierData ?? {};
  const json = {
    associatedAccountNumber: accountOf(call),
    pickupConfirmationCode: confirmationNumber,
    ...(reason === undefined ? {} : { remarks: reason.slice(0, 60) }),
    carrierCode,
    scheduledDate,
    ...(location === undefined ? {} : { location }),
  };
  try {
    await askFedex(call, { method: "PUT", path: "/pickup/v1/pickups/cancel", json, retry: "safe" });
  } catch (error) {
    // A second cancellation is refused; the pickup is cancelled all the same.
    if (error instanceof RemoteError && error.code === "rejected" && /already.*cancel/i.test(error.message)) return;
    throw error;
  }
}
