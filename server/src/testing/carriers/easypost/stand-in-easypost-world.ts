import type { AddressRef } from "./stand-in-easypost-bodies.ts";
import type { Address, Mode, Shipment, Tracker } from "./stand-in-easypost-objects.ts";
import { makeAddress } from "./stand-in-easypost-objects.ts";
import type { RecordTable } from "../journaled-records.ts";
import { recordTable } from "../journaled-records.ts";
import type { CarrierRequest, StandIn } from "../stand-in-api.ts";

export type Order = {
  id: string;
  mode: Mode;
  reference: string;
  created_at: string;
  updated_at: string;
  customs_info: Record<string, unknown> | null;
  shipmentIds: string[];
};
export type Pickup = {
  id: string;
  object: "Pickup";
  created_at: string;
  updated_at: string;
  mode: Mode;
  status: "unknown" | "scheduled" | "canceled";
  reference: string | null;
  min_datetime: string;
  max_datetime: string;
  is_account_address: boolean;
  instructions: string | null;
  messages: unknown[];
  confirmation: string | null;
  address: Address;
  carrier_accounts: unknown[];
  pickup_rates: Record<string, unknown>[];
};
/** Labels that were put together. */
export type Batch = { id: string; mode: Mode; created_at: string; shipmentIds: string[] };
export type Webhook = {
  id: string;
  object: "Webhook";
  mode: Mode;
  url: string;
  created_at: string;
  disabled_at: string | null;
  custom_headers: { name: string; value: string }[];
  /** Never part of an answer. */
  webhook_secret: string | null;
};

/** What the stand-in keeps, and which keys it accepts. */
export type EasypostWorld = {
  keys: Map<string, Mode>;
  now(): Date;
  addresses: RecordTable<Address>;
  shipments: RecordTable<Shipment>;
  orders: RecordTable<Order>;
  trackers: RecordTable<Tracker>;
  pickups: RecordTable<Pickup>;
  batches: RecordTable<Batch>;
  webhooks: RecordTable<Webhook>;
};

export function newWorld(keys: Map<string, Mode>, now: () => Date): EasypostWorld {
  return {
    keys,
    now,
    addresses: recordTable("addresses"),
    shipments: recordTable("shipments"),
    orders: recordTable("orders"),
    trackers: recordTable("trackers"),
    pickups: recordTable("pickups"),
    batches: recordTable("batches"),
    webhooks: recordTable("webhooks"),
  };
}

/** A bearer token, or the user name of basic authentication with an empty password. */
export function keyOf({ headers }: CarrierRequest): string | undefined {
  const [scheme, credentials = ""] = (headers.authorization ?? "").split(" ");
  if (scheme === "Bearer") return credentials;
  if (scheme !== "Basic") return undefined;
  const [user, password] = Buffer.from(credentials, "base64").toString("utf8").split(":");
  return password === "" ? user : undefined;
}

/** Called after `authorize`, so that the key is known. */
export const modeOf = (world: EasypostWorld, request: CarrierRequest): Mode =>
  world.keys.get(keyOf(request) ?? "") ?? "test";

/** An address in a request: a new one, or one that was created before. Undefined: there is none with this id. */
export function addressOf(world: EasypostWorld, standIn: StandIn, given: AddressRef, mode: Mode): Address | undefined {
  const id = typeof given === "string" ? given : given.id;
  if (id === undefined && typeof given === "object") {
    return world.addresses.save(standIn, "address", makeAddress(given, mode, world.now()));
  }
  const found = world.addresses.find(id ?? "");
  return found?.mode === mode ? found : undefined;
}

/**
 * By id, or by the reference of the caller: several may have the same one, then the newest answers. Its tracker is the current one.
 */
export function findShipment(world: EasypostWorld, idOrReference: string, mode: Mode): Shipment | undefined {
  const isWanted = (one: Shipment): boolean =>
    one.mode === mode && (one.id === idOrReference || one.reference === idOrReference);
  const shipment = world.shipments.newest(isWanted);
  const tracker = shipment?.tracker && world.trackers.find(shipment.tracker.id);
  return shipment && tracker ? { ...shipment, tracker, status: tracker.status } : shipment;
}
