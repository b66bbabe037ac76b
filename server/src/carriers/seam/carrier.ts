import type { TObject } from "typebox";
import type { Address } from "../../core/address.ts";
import type { HttpClient } from "../../core/outbound/outbound-request.ts";
import type { Weight } from "../../core/weight.ts";
import type { RateCard } from "../rate-card/card.schemas.ts";
import type { Tariff } from "../rate-card/tariff.ts";
import type { AddressCheck } from "./address-check.ts";
import type { CarrierData } from "./carrier-data.ts";
import type { Charge, Label, LabelFile, SoldLabel, VoidAnswer } from "./labels.ts";
import type { CompletePickupRules } from "./pickup-rules.ts";
import type { BookedPickup, PickupConfirmation, PickupRequest, PickupState } from "./pickups.ts";
import type { NoQuote, Quote } from "./quotes.ts";
import type { Parcel, ShipOptions } from "./ship-options.ts";
import type { ParcelToTrack, TrackingReport } from "./tracking.ts";

/**
 * A carrier is data plus functions that call its API. It has no access to the database or the organization: the features
 * that call it store accounts, pickups and shipments. Unsupported operations are left out. A rejection is thrown as a
 * RemoteError; any other exception is a defect. A carrier imports files of this folder only.
 */
export type Carrier = {
  /** Value of `carrier` in a carrier account: rate-card, easypost ... */
  name: string;
  title: string;
  description: string;
  settings: TObject;
  /** Write-only: encrypted at rest, never returned. */
  credentials: TObject;
  /** Base URLs that receive the credentials, always in the same order. Required if there are credentials. */
  sendsTo?(settings: Settings): string[];
  pickupRules: CompletePickupRules;
  /** Makes no network calls. Other carriers are disabled in the preview unless outbound calls are allowed there. */
  isLocal: boolean;
  /** The account uses the carrier's test mode, in which nothing is charged: the preview may call it. */
  isTest?(account: { settings: Settings; credentials: Settings }): boolean;
  /** Pickups are only recorded; the user has to call the carrier. */
  recordsOnly?: boolean;
  /** Response timeouts in milliseconds, for all requests of an operation together. Default: 20 seconds. */
  timeouts?: Partial<Record<CarrierOperation, number>>;
  /** Calls to the carrier at the same time per account. Default: 8. */
  concurrency?: number;
  /** Prices come from the account's rate cards; `tariff` of the call is compiled from the card in effect. */
  usesRateCards(settings: Settings): boolean;
  /** The rate card of a carrier with the same prices for every account. */
  ownCard?(): RateCard;
  /** Schema of `extra` in the ship options: what only this carrier offers. */
  extraOptions?: TObject;
  /** Label files the carrier can produce; the first is the default. Required with `createLabel`. */
  labelTypes?: readonly LabelFile["contentType"][];
  /** Problems of the account that a user can fix; none: it works. */
  testAccount?(call: CarrierCall): Promise<AccountProblem[]>;
  rate?(call: CarrierCall, request: RateRequest): Promise<(Quote | NoQuote)[]>;
  /**
   * Buys a label. Called again with the same effect key after an unknown outcome: `attempt` is then above 1, and a label that was
   * sold already must be returned, not bought a second time. A carrier that cannot find out throws a RemoteError with
   * `mayHaveHappened`.
   */
  createLabel?(call: CarrierCall, request: LabelRequest): Promise<Label>;
  /** Voids an unused label. Voiding a voided label succeeds. */
  voidLabel?(call: CarrierCall, label: SoldLabel): Promise<VoidAnswer>;
  /** What became of a void that was `submitted`; undefined if the carrier does not know. Called about once a day. */
  findVoid?(call: CarrierCall, label: SoldLabel): Promise<VoidAnswer | undefined>;
  schedulePickup?(call: CarrierCall, request: PickupRequest): Promise<PickupConfirmation>;
  /**
   * Changes a pickup in place; it may be repeated. Without it a reschedule books another pickup and then cancels the previous one,
   * which fails at carriers that come to an address once a day.
   */
  changePickup?(call: CarrierCall, pickup: BookedPickup, request: PickupRequest): Promise<PickupConfirmation>;
  cancelPickup?(call: CarrierCall, pickup: BookedPickup & { reason?: string }): Promise<void>;
  /**
   * The current state of a pickup; undefined if the carrier does not know. A pickup that is still `scheduled` hours after its close
   * time was missed: a carrier that does not report completion returns undefined by then.
   */
  findPickup?(
    call: CarrierCall,
    pickup: BookedPickup & { readyTime: string; closeTime: string },
  ): Promise<PickupState | undefined>;
  /**
   * Tracking of up to 100 parcels, each with all its events so far. Omit parcels the carrier does not know: an exception
   * means no result for any of them. The hub polls the same parcel repeatedly.
   */
  track?(call: CarrierCall, parcels: ParcelToTrack[]): Promise<TrackingReport[]>;
  checkAddress?(call: CarrierCall, address: Address): Promise<AddressCheck>;
  /**
   * Names the parcels that one driver collects and one manifest lists, for carriers that take some of them separately: Express or
   * Ground. Without it all parcels go together.
   */
  handoverGroup?(parcel: { service: string; carrierData: CarrierData | null }): string;
  /** The end-of-day document of parcels that are handed over together. */
  createManifest?(call: CarrierCall, request: ManifestRequest): Promise<Manifest>;
  /** Asks the carrier to send its events to `url`. Called again about once a day: a repeat must not add a second subscription. */
  subscribe?(call: CarrierCall, webhook: { url: string; secret: string }): Promise<WebhookSubscription>;
  /** What the user has to enter on the carrier's page, if `subscribe` cannot: the hub then shows the URL and the secret. */
  webhookSetup?: string;
  /**
   * Reads an inbound webhook. Throws a RemoteError `unauthorized` if the signature is wrong. Anonymous callers reach it, so it calls the
   * carrier only for what `token` caches, or after the signature was verified.
   */
  readWebhook?(call: CarrierCall, webhook: InboundWebhook): Promise<CarrierNews>;
};

export type CarrierOperation =
  | "testAccount"
  | "rate"
  | "createLabel"
  | "voidLabel"
  | "findVoid"
  | "schedulePickup"
  | "cancelPickup"
  | "findPickup"
  | "track"
  | "checkAddress"
  | "createManifest"
  | "subscribe"
  | "readWebhook";

export type Settings = Record<string, unknown>;

export type { Address } from "../../core/address.ts";
export type { CarrierData } from "./carrier-data.ts";

/** The context of one call to a carrier. */
export type CarrierCall = {
  settings: Settings;
  credentials: Settings;
  tariff?: Tariff;
  /** The only way to make requests: checks hosts, enforces timeouts, counts failures. Use with `ask` of http.ts. */
  http: HttpClient;
  now(): Date;
  /** Idempotency key: the same for every retry of a request. */
  effectKey: string;
  /** 1 for the first attempt. Above 1, an earlier attempt may have succeeded without its response having arrived. */
  attempt: number;
  /** What an earlier attempt passed to `note`; null if there was none. */
  noted: CarrierData | null;
  /** Stores data between the steps of one request. Committed when it resolves, so that the next attempt gets it as `noted`. */
  note(data: CarrierData): Promise<void>;
  /**
   * An access token of the account, shared by all processes and encrypted at rest. `fetchToken` is called by one of them when there
   * is none or it has expired. `forget` drops it after the carrier refused it.
   */
  token(name: string, fetchToken: () => Promise<FetchedToken>): Promise<AccountToken>;
  /** Aborted on timeout and when the hub stops. */
  signal: AbortSignal;
};

export type FetchedToken = { value: string; lifetimeMs: number };
export type AccountToken = { value: string; forget(): Promise<void> };

export const accountParts = ["key", "account", "permission", "address", "settings"] as const;

/** `part`: what the user has to correct. */
export type AccountProblem = { part: (typeof accountParts)[number]; message: string };

export type RateRequest = {
  from: Address;
  to: Address;
  parcels: Parcel[];
  options: ShipOptions;
  /** A day such as 2026-01-31. */
  shipDate: string;
  /** Default: every service. */
  services?: string[];
};

export type LabelRequest = {
  service: string;
  from: Address;
  to: Address;
  /** At least one. */
  parcels: Parcel[];
  options: ShipOptions;
  /** A day such as 2026-01-31. */
  shipDate: string;
  /** Printed on the label. */
  reference?: string;
  /** `carrierData` of the quote that was chosen, while it has not expired. Several labels of parcels that are alike may have the same one. */
  quote?: CarrierData;
};

export type ManifestRequest = {
  from: Address;
  shipDate: string;
  parcels: { trackingNumber: string; service: string; carrierData: CarrierData | null }[];
};

/** `number`: null if the carrier assigns none. */
export type Manifest = { number: string | null; file: LabelFile | null; carrierData?: CarrierData };

/** `secret`: set if the carrier made one of its own, with which its webhooks are verified. */
export type WebhookSubscription = { secret?: string; carrierData: CarrierData };

export type InboundWebhook = {
  /** Names in lower case. */
  headers: Record<string, string>;
  /** As received: a signature covers these bytes. */
  body: Buffer;
  /** Passed to `subscribe` before, or returned by it. */
  secret: string;
};

/** What a webhook reports. */
export type CarrierNews = {
  trackings: TrackingReport[];
  voids: { trackingNumber: string; answer: VoidAnswer }[];
  adjustments: ChargeAdjustment[];
};

/** A later correction of a label's price, such as a measured weight. */
export type ChargeAdjustment = {
  /** Identifies the adjustment at the carrier: the same one is recorded once. */
  id: string;
  trackingNumber: string;
  /** Added to what was charged; negative for credits. */
  charge: Charge;
  reason: string;
  /** The weight the carrier measured. */
  weight?: Weight;
};
