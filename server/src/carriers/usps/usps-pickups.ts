import type { Carrier, CarrierCall, Manifest, ManifestRequest } from "../seam/carrier.ts";
import { phoneDigits, requiredName } from "../seam/address-lines.ts";
import { unreadable } from "../seam/failures.ts";
import { RemoteError } from "../seam/http.ts";
import { dayThere } from "../seam/local-time.ts";
import { poundsOf } from "../seam/measures.ts";
import type { BookedPickup, PickupConfirmation, PickupRequest, PickupState } from "../seam/pickups.ts";
import { openState } from "../seam/pickups.ts";
import { asText } from "../seam/read.ts";
import type { Json } from "../seam/read.ts";
import { cannotFindOut, sendOnce, wasSent } from "../seam/repeats.ts";
import { readDocument } from "./usps-labels.ts";
import { askUsps } from "./usps-request.ts";
import { addressOf, namesOf, partyOf } from "./usps-shipment.ts";

type Pickup = Parameters<NonNullable<Carrier["findPickup"]>>[1];

/** USPS takes a day, no window, and cannot be asked for pickups without their number. */
export async function scheduleUspsPickup(call: CarrierCall, request: PickupRequest): Promise<PickupConfirmation> {
  if (wasSent(call)) throw cannotFindOut("USPS", "pickup");
  const json = pickupBody(call, request);
  const booking = { method: "POST", path: "/pickup/v3/carrier-pickup", json } as const;
  const { response, body } = await sendOnce(call, () => askUsps(call, booking));
  return readUspsPickup(body, response.headers.etag, request.readyTime.slice(0, 10));
}

function pickupBody({ settings }: CarrierCall, request: PickupRequest): Json {
  const { address, totalWeight, instructions, readyTime, parcels } = request;
  const weight = totalWeight ? poundsOf(totalWeight) : parcels.reduce((sum, one) => sum + poundsOf(one.weight), 0);
  return {
    pickupDate: readyTime.slice(0, 10),
    pickupAddress: {
      ...namesOf({ ...address, name: requiredName("USPS", address, "pickup") }),
      address: addressOf(address, "pickup"),
      contact: contactOf(address),
    },
    packages: packagesOf(request),
    estimatedWeight: Math.max(Math.ceil(weight), 1),
    pickupLocation: {
      packageLocation: asText(settings.pickupLocation) ?? "FRONT_DOOR",
      ...(instructions === undefined ? {} : { specialInstructions: instructions.slice(0, 255) }),
    },
  };
}

/** USPS confirms a pickup by mail or by text message. */
function contactOf({ email, phone }: PickupRequest["address"]): Json[] {
  if (email !== undefined) return [{ email }];
  const cellNumber = phoneDigits(phone);
  if (cellNumber?.length === 10) return [{ cellNumber }];
  const message =
    "The pickup's address has neither an email address nor a phone number of ten digits. USPS requires one.";
  throw new RemoteError("rejected", message);
}

const packageTypes = new Set(["PRIORITY_MAIL_EXPRESS", "PRIORITY_MAIL", "USPS_GROUND_ADVANTAGE"]);

/** How many parcels of each mail class; those without a label count as other. */
function packagesOf({ parcels, packageCount }: PickupRequest): Json[] {
  const counts = new Map<string, number>();
  const add = (type: string, count: number): void => void counts.set(type, (counts.get(type) ?? 0) + count);
  for (const { service } of parcels) add(packageTypes.has(service) ? service : "OTHER", 1);
  if (packageCount > parcels.length) add("OTHER", packageCount - parcels.length);
  return [...counts].map(([packageType, count]) => ({ packageType, packageCount: count }));
}

export function readUspsPickup(body: Json, etag: string | undefined, asked: string): PickupConfirmation {
  const confirmationNumber = asText(body.confirmationNumber);
  if (confirmationNumber === undefined) throw unreadable("USPS", "pickup confirmation number");
  const day = asText(body.pickupDate);
  const messages = day === undefined || day === asked ? [] : [`USPS comes on ${day}.`];
  return { confirmationNumber, messages, ...(etag === undefined ? {} : { carrierData: { etag } }) };
}

const pathOf = ({ confirmationNumber }: BookedPickup): string =>
  `/pickup/v3/carrier-pickup/${encodeURIComponent(confirmationNumber)}`;

/** The version of the booking expires within an hour, so that it is read again before each change. Undefined: there is no booking. */
async function readVersion(call: CarrierCall, pickup: BookedPickup): Promise<string | undefined> {
  const { response, faults } = await askUsps(call, { path: pathOf(pickup) }, ({ message }) => isGone.test(message));
  if (faults.length > 0) return undefined;
  const { etag } = response.headers;
  if (etag !== undefined) return etag;
  throw new RemoteError("unexpected_response", "USPS did not report the version of the pickup.", { retryable: true });
}

/** USPS comes to an address once a day, so that a booking is changed in place. A repeat sends the same content again. */
export async function changeUspsPickup(
  call: CarrierCall,
  pickup: BookedPickup,
  request: PickupRequest,
): Promise<PickupConfirmation> {
  const version = await readVersion(call, pickup);
  const { confirmationNumber } = pickup;
  if (version === undefined)
    throw new RemoteError("pickup_not_known", `USPS has no pickup ${confirmationNumber}. Schedule another one.`);
  const pickupDate = request.readyTime.slice(0, 10);
  const json = { confirmationNumber, pickupDate, carrierPickupRequest: pickupBody(call, request) };
  const headers = { "if-match": version };
  const change = { method: "PUT", path: pathOf(pickup), headers, json, retry: "safe" } as const;
  const { response, body } = await askUsps(call, change);
  return readUspsPickup(body, response.headers.etag, pickupDate);
}

export async function cancelUspsPickup(call: CarrierCall, pickup: BookedPickup): Promise<void> {
  const version = await readVersion(call, pickup);
  if (version === undefined) return;
  const request = { method: "DELETE", path: pathOf(pickup), headers: { "if-match": version }, retry: "safe" } as const;
  await askUsps(call, request, ({ message }) => isGone.test(message));
}

const isGone = /already.*cancel|been cancel|not found|does not exist/i;

/** USPS keeps a booking until it is cancelled, and does not report whether the carrier came. */
export async function findUspsPickup(call: CarrierCall, pickup: Pickup): Promise<PickupState | undefined> {
  const { body, faults } = await askUsps(call, { path: pathOf(pickup) }, ({ message }) => isGone.test(message));
  if (faults.some(({ message }) => /cancel/i.test(message))) return { status: "cancelled" };
  const day = asText(body.pickupDate) ?? pickup.readyTime.slice(0, 10);
  if (faults.length > 0 || day < dayThere(call.now(), pickup.readyTime)) return undefined;
  return openState(call, pickup, { status: "scheduled" });
}

/** The SCAN form: one barcode for all parcels of a day. A label can be on one form only, so that a lost form cannot be made again. */
export async function createUspsManifest(call: CarrierCall, request: ManifestRequest): Promise<Manifest> {
  if (wasSent(call)) throw cannotFindOut("USPS", "SCAN form");
  const json = {
    imageInfo: { imageType: "PDF", labelType: "8.5X11LABEL" },
    mailingDate: request.shipDate,
    overwriteMailingDate: false,
    entryFacilityZIPCode: (request.from.zip ?? "").slice(0, 5),
    destinationEntryFacilityType: "NONE",
    shipment: { trackingNumbers: request.parcels.map(({ trackingNumber }) => trackingNumber) },
    fromAddress: { ...partyOf(request.from, "sender"), ignoreBadAddress: true },
  };
  const form = { method: "POST", path: "/scan-forms/v3/scan-form", json, isPaid: true } as const;
  const { response } = await sendOnce(call, () => askUsps(call, form));
  const { metadata, file } = readDocument(response, /label|form/i);
  const number = asText(metadata.manifestNumber);
  if (number === undefined && !file) throw unreadable("USPS", "SCAN form");
  return { number: number ?? null, file };
}
