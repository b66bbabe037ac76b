import type { TObject } from "typebox";
import type { Address } from "../core/address.ts";
import type { HttpClient } from "../core/outbound/outbound-request.ts";
import type { Dimensions, Weight } from "../core/weight.ts";
import type { CompletePickupRules } from "./pickup-rules.ts";
import type { RateCard } from "./rate-card/card.schemas.ts";
import type { NoQuote, Quote, QuoteRequest } from "./rate-card/quote.ts";
import type { Tariff } from "./rate-card/tariff.ts";

/**
 * A carrier is data plus a few functions that speak its language. It knows no database and no organization: whoever
 * calls it keeps accounts, pickups and shipments. What a carrier cannot do it leaves out. It says no with a RemoteError;
 * anything else thrown is a defect.
 */
export type Carrier = {
  /** As in `carrier` of a carrier account: rate-card, demo ... */
  name: string;
  title: string;
  description: string;
  settings: TObject;
  /** Write-only: sealed when stored, never answered. */
  credentials: TObject;
  /** The address that the credentials are sent to; nothing at or above it gets them. Needed where there are credentials. */
  sendsTo?(settings: Record<string, unknown>): string;
  pickupRules: CompletePickupRules;
  /** Calls nobody outside this process. Others are refused in the preview unless allowed. */
  isLocal: boolean;
  /** What is booked is only written down: somebody has to call. */
  tellsNobody?: boolean;
  /** How long an answer may take, where twenty seconds are not right. */
  timeoutMs?: number;
  /** Prices come from the cards that the account holds; `tariff` of the call is then the one in effect. */
  usesRateCards: boolean;
  /** The prices of a carrier that has the same for everybody. */
  ownCard?(): RateCard;
  rate?(call: CarrierCall, request: RateRequest): Promise<(Quote | NoQuote)[]>;
  schedulePickup?(call: CarrierCall, request: PickupRequest): Promise<PickupConfirmation>;
  cancelPickup?(
    call: CarrierCall,
    pickup: { confirmationNumber: string; reason?: string; carrierData: CarrierData | null },
  ): Promise<void>;
  /** What became of a pickup; undefined when the carrier cannot say. */
  findPickup?(
    call: CarrierCall,
    pickup: { confirmationNumber: string; readyTime: string; closeTime: string; carrierData: CarrierData | null },
  ): Promise<PickupState | undefined>;
  /**
   * Where up to 100 parcels are, with all that happened to them so far. One that it knows nothing of it leaves out: to
   * throw is to have no answer about any of them. The hub asks about the same parcel again and again.
   */
  track?(call: CarrierCall, parcels: ParcelToTrack[]): Promise<TrackingReport[]>;
  /** Sells a label. Asked again under the same effect key, it answers the same label and takes no second payment. */
  createLabel?(call: CarrierCall, request: LabelRequest): Promise<Label>;
  /** Takes back a label that was not used; one that it took back before is taken back. */
  voidLabel?(call: CarrierCall, label: { trackingNumber: string; carrierData: CarrierData | null }): Promise<void>;
};

/**
 * What a carrier wants back when it is asked about something again: its own ids, tokens, versions. JSON of up to 16 KiB,
 * kept with the pickup, label or shipment it belongs to, read by nobody else and never on the wire.
 */
export type CarrierData = Record<string, unknown>;

/** What a carrier works with during one call. */
export type CarrierCall = {
  settings: Record<string, unknown>;
  credentials: Record<string, unknown>;
  tariff?: Tariff;
  /** Guarded, timed, counted; the only way out. `ask` in core/outbound/ask-remote.ts gives statuses their meaning. */
  http: HttpClient;
  now(): Date;
  /** The same in every repetition of one request, so that it happens once. */
  effectKey: string;
  /** Aborted when nobody waits for the answer any more. */
  signal: AbortSignal;
};

type RateRequest = QuoteRequest & {
  /** Only these; without it, every service. */
  services?: string[];
};

type PickupRequest = {
  address: Address;
  /** Instants with the offset of the pickup address. */
  readyTime: string;
  closeTime: string;
  packageCount: number;
  totalWeight?: Weight;
  instructions?: string;
};

export type PickupConfirmation = {
  /** Null: nobody was told, and somebody has to call; what to do is in the messages. */
  confirmationNumber: string | null;
  /** Where the carrier changed the window. */
  readyTime?: string;
  closeTime?: string;
  chargeCents?: number;
  messages: string[];
  carrierData?: CarrierData;
};

export type PickupState = { status: "scheduled" | "dispatched" | "completed" | "missed" | "cancelled" };

type TrackingStatus =
  | "pre_transit"
  | "picked_up"
  | "in_transit"
  | "out_for_delivery"
  | "ready_for_pickup"
  | "delivery_failed"
  | "delayed"
  | "on_hold"
  | "exception"
  | "returned"
  | "delivered"
  | "cancelled"
  | "expired"
  | "unknown";

/** What the hub knows of a parcel that it asks about; `carrierData` is there when its label was bought from the carrier. */
export type ParcelToTrack = { trackingNumber: string; shippedAt: string; carrierData?: CarrierData };

export type TrackingEvent = {
  at: string;
  status: TrackingStatus;
  description: string;
  city?: string;
  state?: string;
  zip?: string;
};

/** Where it is follows from its events. */
export type TrackingReport = {
  trackingNumber: string;
  estimatedDelivery?: string;
  events: TrackingEvent[];
};

type LabelRequest = {
  service: string;
  from: Address;
  to: Address;
  weight: Weight;
  dimensions?: Dimensions;
  reference?: string;
};

export const labelTypes = ["text/plain", "application/pdf", "image/png", "application/zpl"] as const;

export type Label = {
  trackingNumber: string;
  service: string;
  costCents: number | null;
  contentType: (typeof labelTypes)[number];
  /** Base64. */
  content: string;
  carrierData?: CarrierData;
};
