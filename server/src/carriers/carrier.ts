import type { TObject } from "typebox";
import type { Address } from "../core/address.ts";
import type { HttpClient } from "../core/outbound/outbound-request.ts";
import type { Dimensions, Weight } from "../core/weight.ts";
import type { CompletePickupRules } from "./pickup-rules.ts";
import type { RateCard } from "./rate-card/card.schemas.ts";
import type { NoQuote, Quote, QuoteRequest } from "./rate-card/quote.ts";
import type { Tariff } from "./rate-card/tariff.ts";

/**
 * A carrier is data plus functions that call its API. It has no access to the database or the organization: the features
 * that call it store accounts, pickups and shipments. Unsupported operations are left out. A rejection is thrown as a
 * RemoteError; any other exception is a defect.
 */
export type Carrier = {
  /** Value of `carrier` in a carrier account: rate-card, demo ... */
  name: string;
  title: string;
  description: string;
  settings: TObject;
  /** Write-only: encrypted at rest, never returned. */
  credentials: TObject;
  /** Base URL the credentials are sent to; requests to any other URL do not carry them. Required if there are credentials. */
  sendsTo?(settings: Record<string, unknown>): string;
  pickupRules: CompletePickupRules;
  /** Makes no network calls. Other carriers are disabled in the preview unless outbound calls are allowed there. */
  isLocal: boolean;
  /** Pickups are only recorded; the user has to call the carrier. */
  recordsOnly?: boolean;
  /** Response timeout. Default: 20 seconds. */
  timeoutMs?: number;
  /** Prices come from the account's rate cards; `tariff` of the call is compiled from the card in effect. */
  usesRateCards: boolean;
  /** The rate card of a carrier with the same prices for every account. */
  ownCard?(): RateCard;
  rate?(call: CarrierCall, request: RateRequest): Promise<(Quote | NoQuote)[]>;
  schedulePickup?(call: CarrierCall, request: PickupRequest): Promise<PickupConfirmation>;
  cancelPickup?(
    call: CarrierCall,
    pickup: { confirmationNumber: string; reason?: string; carrierData: CarrierData | null },
  ): Promise<void>;
  /** The current state of a pickup; undefined if the carrier does not know. */
  findPickup?(
    call: CarrierCall,
    pickup: { confirmationNumber: string; readyTime: string; closeTime: string; carrierData: CarrierData | null },
  ): Promise<PickupState | undefined>;
  /**
   * Tracking of up to 100 parcels, each with all its events so far. Omit parcels the carrier does not know: an exception
   * means no result for any of them. The hub polls the same parcel repeatedly.
   */
  track?(call: CarrierCall, parcels: ParcelToTrack[]): Promise<TrackingReport[]>;
  /** Buys a label. A repeat with the same effect key must return the same label without charging again. */
  createLabel?(call: CarrierCall, request: LabelRequest): Promise<Label>;
  /** Voids an unused label. Voiding a voided label succeeds. */
  voidLabel?(call: CarrierCall, label: { trackingNumber: string; carrierData: CarrierData | null }): Promise<void>;
};

/**
 * The carrier's own IDs, tokens or versions, handed back to it in later calls about the same record. JSON of up to 16 KiB,
 * stored with the pickup, label or shipment. Opaque to the hub and never returned by the API.
 */
export type CarrierData = Record<string, unknown>;

/** The context of one call to a carrier. */
export type CarrierCall = {
  settings: Record<string, unknown>;
  credentials: Record<string, unknown>;
  tariff?: Tariff;
  /** The only way to make requests: checks hosts, enforces timeouts, counts failures. Use with `ask` in core/outbound/ask-remote.ts. */
  http: HttpClient;
  now(): Date;
  /** Idempotency key: the same for every retry of a request. */
  effectKey: string;
  /** Aborted on timeout and when the hub stops. */
  signal: AbortSignal;
};

type RateRequest = QuoteRequest & {
  /** Default: every service. */
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
  /** Null: the carrier was not contacted and the user has to call it; `messages` say how. */
  confirmationNumber: string | null;
  /** Set if the carrier changed the window. */
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

/** A parcel to track. `carrierData` is set if its label was purchased from the carrier. */
export type ParcelToTrack = { trackingNumber: string; shippedAt: string; carrierData?: CarrierData };

export type TrackingEvent = {
  at: string;
  status: TrackingStatus;
  description: string;
  city?: string;
  state?: string;
  zip?: string;
};

/** The status of the parcel is derived from its events. */
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
