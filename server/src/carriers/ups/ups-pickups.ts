import type { Carrier, CarrierCall } from "../seam/carrier.ts";
import { countryOf, requiredName, requiredPhone } from "../seam/address-lines.ts";
import { unreadable } from "../seam/failures.ts";
import { RemoteError } from "../seam/http.ts";
import { shortKey } from "../seam/keys.ts";
import { compactDay, dayThere, localClock } from "../seam/local-time.ts";
import { poundsOf } from "../seam/measures.ts";
import { kilogramsOf } from "../seam/measures.ts";
import { priceOf } from "../seam/price.ts";
import type { PickupConfirmation, PickupRequest, PickupState } from "../seam/pickups.ts";
import { asList, asObject, asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { cannotFindOut, lookUp, refuseWhileOpen, sendOnce, wasSent } from "../seam/repeats.ts";
import { usesPounds } from "./ups-parties.ts";
import { askUps } from "./ups-request.ts";

type Pickup = Parameters<NonNullable<Carrier["findPickup"]>>[1];

/** UPS charges for pickups on demand. A repeat looks for the pickup by its reference first. */
export async function scheduleUpsPickup(call: CarrierCall, request: PickupRequest): Promise<PickupConfirmation> {
  const reference = shortKey(call.effectKey, 30);
  if (wasSent(call)) {
    const prn = await lookUp("UPS", "pickup", () => findByReference(call, request, reference));
    if (prn !== undefined) return { confirmationNumber: prn, messages: [] };
    refuseWhileOpen(call, "UPS", "pickup");
  }
  const json = pickupBody(call, request, reference);
  const booking = { method: "POST", path: "/pickupcreation/v2409/pickup", json } as const;
  const { body } = await sendOnce(call, () => askUps(call, booking));
  return readUpsPickup(body);
}

/** UPS lists the pickups of today and tomorrow only, and may leave out the reference: then it may be the one of another attempt. */
async function findByReference(
  call: CarrierCall,
  { readyTime }: PickupRequest,
  reference: string,
): Promise<string | undefined> {
  const pending = await pendingPickups(call);
  const own = pending.find((one) => asText(one.ReferenceNumber) === reference);
  if (own) return asText(own.PRN);
  const tomorrow = dayThere(new Date(call.now().getTime() + 86_400_000), readyTime);
  const day = readyTime.slice(0, 10);
  const isUnnamed = (one: Json): boolean =>
    asText(one.ServiceDate) === compactDay(day) && asText(one.ReferenceNumber) === undefined;
  if (day > tomorrow || pending.some(isUnnamed)) throw cannotFindOut("UPS", "pickup");
  return undefined;
}

function pickupBody(call: CarrierCall, request: PickupRequest, reference: string): Json {
  const { address, readyTime, closeTime, instructions } = request;
  const country = countryOf(address, "pickup");
  const name = requiredName("UPS", address, "pickup");
  return {
    PickupCreationRequest: {
      Request: { TransactionReference: { CustomerContext: reference } },
      RatePickupIndicator: "Y",
      Shipper: {
        Account: {
          AccountNumber: String(call.settings.accountNumber),
          AccountCountryCode: asText(call.settings.accountCountryCode) ?? country,
        },
      },
      PickupDateInfo: {
        CloseTime: localClock(closeTime).replace(":", ""),
        ReadyTime: localClock(readyTime).replace(":", ""),
        PickupDate: compactDay(readyTime),
      },
      PickupAddress: {
        CompanyName: (address.company ?? name).slice(0, 27),
        ContactName: (address.name ?? name).slice(0, 22),
        AddressLine: [address.address1, address.address2]
          .filter((line) => line?.trim())
          .join(", ")
          .slice(0, 73),
        City: address.city ?? "",
        ...(address.provinceCode === undefined ? {} : { StateProvince: address.provinceCode }),
        ...(address.zip === undefined ? {} : { PostalCode: address.zip.replaceAll(/[\s-]/g, "") }),
        CountryCode: country,
        ResidentialIndicator: "N",
        Phone: { Number: requiredPhone("UPS", address, "pickup") },
      },
      AlternateAddressIndicator: "Y",
      PickupPiece: piecesOf(request, country),
      ...weightOf(request),
      PaymentMethod: "01",
      ...(instructions === undefined ? {} : { SpecialInstruction: instructions.slice(0, 57) }),
      ReferenceNumber: reference,
      ShippingLabelsAvailable: "Y",
    },
  };
}

/** How many parcels go with which service to which country. Without labels: ground within the country. */
function piecesOf({ parcels, packageCount }: PickupRequest, country: string): Json[] {
  const counts = new Map<string, number>();
  for (const parcel of parcels) {
    const key = `${parcel.service.padStart(3, "0")} ${parcel.countryCode}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const rest = packageCount - parcels.length;
  const ground = `003 ${country}`;
  if (rest > 0) counts.set(ground, (counts.get(ground) ?? 0) + rest);
  return [...counts].map(([key, quantity]) => {
    const [ServiceCode, DestinationCountryCode] = key.split(" ");
    return { ServiceCode, Quantity: String(quantity), DestinationCountryCode, ContainerCode: "01" };
  });
}

const overweightPounds = 70;

function weightOf({ address, totalWeight, parcels }: PickupRequest): Json {
  const isOver = parcels.some(({ weight }) => poundsOf(weight) > overweightPounds);
  const OverweightIndicator = isOver ? "Y" : "N";
  if (!totalWeight) return { OverweightIndicator };
  const inPounds = usesPounds(address);
  const value = inPounds ? poundsOf(totalWeight, 1) : kilogramsOf(totalWeight);
  return {
    TotalWeight: { Weight: value.toFixed(1), UnitOfMeasurement: inPounds ? "LBS" : "KGS" },
    OverweightIndicator,
  };
}

export function readUpsPickup(body: unknown): PickupConfirmation {
  const response = asObject(asObject(body).PickupCreationResponse);
  const confirmationNumber = asText(response.PRN);
  if (confirmationNumber === undefined) throw unreadable("UPS", "pickup request number");
  const rate = asObject(response.RateResult);
  const charge = priceOf(rate.GrandTotalOfAllCharge, asText(rate.CurrencyCode) ?? "USD");
  return {
    confirmationNumber,
    ...(charge ? { charge } : {}),
    messages: asList(asObject(response.Response).Alert).flatMap((alert) => asText(alert.Description) ?? []),
  };
}

export async function cancelUpsPickup(
  call: CarrierCall,
  { confirmationNumber }: { confirmationNumber: string },
): Promise<void> {
  const request = { method: "DELETE", path: "/shipments/v2409/pickup/02", retry: "safe" } as const;
  try {
    await askUps(call, { ...request, headers: { prn: confirmationNumber } });
  } catch (error) {
    // A second cancellation is refused; the pickup is cancelled all the same.
    if (error instanceof RemoteError && error.code === "rejected" && /already.*cancel/i.test(error.message)) return;
    throw error;
  }
}

async function pendingPickups(call: CarrierCall): Promise<Json[]> {
  const headers = { accountnumber: String(call.settings.accountNumber) };
  const request = { path: "/shipments/v2409/pickup/oncall", headers };
  const { body } = await askUps(call, request, ({ message }) => /no (pending|on-?call) pickup/i.test(message));
  return asList(asObject(asObject(body).PickupPendingStatusResponse).PendingStatus);
}

const states: Record<string, PickupState["status"]> = {
  "001": "scheduled",
  "002": "dispatched",
  "003": "completed",
  "004": "missed",
  "005": "dispatched",
  "007": "cancelled",
  "012": "scheduled",
};

export async function findUpsPickup(
  call: CarrierCall,
  { confirmationNumber }: Pickup,
): Promise<PickupState | undefined> {
  const pending = await pendingPickups(call);
  const own = pending.find((one) => asText(one.PRN) === confirmationNumber);
  const code = asText(own?.OnCallStatusCode) ?? asText(own?.PickupStatusMessage)?.slice(0, 3);
  const status = code === undefined ? undefined : states[code];
  return status === undefined ? undefined : { status };
}
