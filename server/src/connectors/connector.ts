import type { TObject, TSchema } from "typebox";
import type { FieldError } from "../core/errors.ts";
import type { HttpClient } from "../core/outbound/outbound-request.ts";
import type { ReadWebhook, WebhookRequest } from "./inbound-webhook.ts";

/**
 * A connector is data plus a few functions that speak one foreign system's language. It knows no database, no queue and
 * no organization: whoever runs its tasks keeps cursors, effects and executions.
 */
export type Connector = {
  /** As in `connector` of a bridge: demo, rest, shopify ... */
  name: string;
  title: string;
  description: string;
  settings: TObject;
  /** Write-only: sealed when stored, never answered. */
  credentials: TObject;
  /** What the schema of the settings cannot say; pointers start at the settings. Empty when all is well. */
  check?(settings: Settings, limits: Limits): FieldError[];
  /** Which tasks a bridge with these settings offers; every connector offers `connection.test`. */
  tasks(settings: Settings): ConnectorTask[];
  /** The settings that say who the other side is: with another one, what was read up to there says nothing. */
  site?: readonly string[];
  /** What the schema of the credentials cannot say; pointers start at the credentials. */
  checkCredentials?(credentials: Record<string, unknown>, settings: Settings): FieldError[];
  /** The addresses that the credentials are sent to, always in the same order; needed where there are credentials. */
  sendsTo?(settings: Settings): CredentialAddress[];
  /** How the access token of the bridge is asked for, where it signs in with one that ends. */
  signIn?(settings: Settings, credentials: Record<string, unknown>): TokenRequest | undefined;
  /** Takes what the other side sends by itself, where a bridge has a secret to know it by. */
  readWebhook?(sent: WebhookRequest): ReadWebhook;
  /** Executions of one bridge at a time, where the bridge itself names no other number. */
  concurrency: number;
  /** A shop, whose records it knows well: a mapping usually adds to what it makes of them. */
  isShop?: boolean;
  /** Calls nobody outside this process. Others are refused in the preview unless allowed. */
  isOffline?: boolean;
};

export type Settings = Record<string, unknown>;

/** `at`: the setting that says it, as a pointer from the settings. */
export type CredentialAddress = { at: string; url: string };

/** How an access token that ends is asked for, by OAuth 2.0. */
export type TokenRequest = {
  url: string;
  grant: "client_credentials" | "refresh_token";
  /** Where the other side wants to read who asks. */
  clientAuth: "basic" | "body";
  scope?: string | undefined;
  audience?: string | undefined;
};

/** What whoever runs the hub allows. */
export type Limits = {
  /** Private addresses may be called, as the bridge's HttpClient will be made. */
  allowPrivate: boolean;
  /** Connectors may read and write files below this folder; without one they may not at all. */
  filesRoot?: string;
};

type TaskBase = {
  name: string;
  title: string;
  description: string;
  input: TObject;
  output: TSchema;
  /** May be repeated when nobody knows whether it happened. */
  idempotent: boolean;
  /** The whole execution, all attempts of one page or call included. */
  timeoutMs: number;
};

/** One call, one answer. */
export type CallTask = TaskBase & { mode: "call"; run(call: Call): Promise<Record<string, unknown>> };

/** Reads records page by page. The next page is asked for when the last one is stored together with its cursor. */
export type PullTask = TaskBase & {
  mode: "pull";
  recordType: "orders" | "locations" | "tracking" | "inventory";
  /** `cursor` is what the last stored page said, of this execution or, for those that read on, of an earlier one. */
  pull(call: Call, cursor: unknown): AsyncIterable<Page>;
  /** A later execution reads on from where the last successful one ended. */
  isIncremental: boolean;
  /** What `canonical` of such a record is, where it follows from `raw` alone: for one that somebody has corrected. */
  canonicalOf?(raw: Record<string, unknown>): Record<string, unknown>;
  /** The records that these payloads of notices are about, as they are now. */
  receive?(call: Call, payloads: unknown[]): Promise<PulledRecord[]>;
};

export type Page = {
  records: PulledRecord[];
  /** JSON. Where to go on after this page. */
  cursor: unknown;
  /** How many there will be in all, where the other side says so. */
  total?: number;
  /** What is there, and could not be read. */
  failures?: PageFailure[];
  /** Called when the page is stored, with those of its records that were refused. */
  onStored?(refused: Pick<PageFailure, "externalId" | "message">[]): Promise<void>;
};

export type PageFailure = { externalId: string; code: string; message: string; errors: { message: string }[] };

export type PulledRecord = {
  externalId: string;
  /** Of the record at its source: an older state never overwrites a newer one. */
  updatedAt?: string;
  /** It is not there any more: there is nothing that could be mapped. */
  isGone?: boolean;
  /** What the other side sent, which is what an inbound transformation maps. */
  raw: Record<string, unknown>;
  /**
   * The same as the hub takes it, used where no transformation is active: for orders the body of `POST /orders`, and
   * what has become of them there (`hold`, `deleted`, `shippedQuantity` of lines).
   */
  canonical: Record<string, unknown>;
};

/** Sends what is known about orders, fact by fact, each once whichever execution sends it. */
export type PushTask = TaskBase & {
  mode: "push";
  /** What one fact is about. With `shipment` an order is sent once for each of its shipments, listing that one alone. */
  unit: "order" | "shipment";
  /**
   * When another execution sends what has arrived once more: if it would send something else than then, never, or always,
   * which is for what brings about a state and looks at it first.
   */
  resendPolicy: "on_change" | "never" | "always";
  /** What of the record is sent, which tells whether it has changed. Default: all of it. */
  contentOf?(call: Call, record: Record<string, unknown>): unknown;
  /** The task that takes back what this one does: once that is done, this is something new, and the other way round. */
  opposite?: string;
  /**
   * `record` is the order as `GET /orders/{id}` answers it, or what an outbound transformation made of it.
   * Throws a RemoteError; one that says `mayHaveHappened` leads to `find`, and without it to `outcome_unknown`.
   */
  send(call: Call, record: Record<string, unknown>, effectKey: string): Promise<Sent>;
  /** Whether this effect has happened; undefined when it has not. What is there in part can be sent again as it was. */
  find?(call: Call, record: Record<string, unknown>, effectKey: string): Promise<Sent | "in part" | undefined>;
  /** Corrects what has arrived; doing it again does no harm. Undefined: it cannot be corrected there. */
  update?(call: Call, record: Record<string, unknown>, sent: Sent, effectKey: string): Promise<Sent | undefined>;
};

export type Sent = { externalId?: string; details?: Record<string, unknown> };

export type ConnectorTask = CallTask | PullTask | PushTask;

/** What a task works with during one attempt. */
export type Call = {
  settings: Settings;
  credentials: Record<string, unknown>;
  input: Record<string, unknown>;
  /** Guarded, timed, counted; the only way out. */
  http: HttpClient;
  signal: AbortSignal;
  /** For connectors that sign in: the token of the bridge, which may be an earlier one; `refused`: another one than this. */
  accessToken(refused?: string): Promise<string>;
  now(): Date;
  /** In which a day begins, and a time is meant that says no zone. */
  timeZone(): Promise<string>;
  /** The same in every attempt and retry of one execution. */
  effectKey: string;
  /** As in Limits. */
  filesRoot?: string;
  /** Only somebody who looks: what is read stays where it is, to be read again. */
  isSample?: boolean;
  progress(processed: number, total?: number): void;
  log(level: "info" | "warn" | "error", message: string): void;
};
