import type { Address } from "../../core/address.ts";
import type { Weight } from "../../core/weight.ts";
import type { CarrierData } from "./carrier-data.ts";
import type { Charge } from "./labels.ts";

export type PickupRequest = {
  address: Address;
  /** Instants with the offset of the pickup address. */
  readyTime: string;
  closeTime: string;
  packageCount: number;
  totalWeight?: Weight;
  instructions?: string;
  /** The labels to be collected, if they were bought through the hub. Some carriers require them. */
  parcels: PickupParcel[];
};

export type PickupParcel = {
  trackingNumber: string;
  service: string;
  countryCode: string;
  weight: Weight;
  carrierData: CarrierData | null;
};

export type PickupConfirmation = {
  /** Null: the carrier was not contacted and the user has to call it; `messages` say how. */
  confirmationNumber: string | null;
  /** Set if the carrier changed the window. */
  readyTime?: string;
  closeTime?: string;
  charge?: Charge;
  messages: string[];
  carrierData?: CarrierData;
};

/** What a carrier needs to know about its own booking. */
export type BookedPickup = { confirmationNumber: string; carrierData: CarrierData | null };

export type PickupState = { status: "scheduled" | "dispatched" | "completed" | "missed" | "cancelled" };

/** For carriers that do not report whether the driver came: after the close time a scheduled pickup says nothing. */
export function openState(
  { now }: { now(): Date },
  { closeTime }: { closeTime: string },
  state: PickupState | undefined,
): PickupState | undefined {
  return state?.status === "scheduled" && now().getTime() > Date.parse(closeTime) ? undefined : state;
}
