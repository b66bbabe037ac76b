import type { TObject, TSchema } from "typebox";
import type { CsvSource, InvoiceSourceOptions } from "../core/csv/csv-source.ts";
import type { FieldError } from "../core/errors.ts";
import type { Scope } from "../core/scopes.ts";
import type { PickupSchedule } from "./hub/pickup-schedule.ts";
import type { MailServer } from "../core/mail-server.ts";
import type { HttpClient } from "../core/outbound/outbound-request.ts";
import type { ReadWebhook, WebhookRequest } from "./inbound-webhook.ts";

/**
 * A connector describes one external system: data plus a few functions that call its API. It has no access to the database, the
 * queue or the organization; the task engine stores cursors, effects and executions.
 */
export type Connector = {
  /** The value of `connector` of a bridge: demo, rest, shopify ... */
  name: string;
  title: string;
  description: string;
  settings: TObject;
  /** Stored encrypted, never returned. */
  credentials: TObject;
  /** Rules beyond the schema of the settings; pointers start at the settings. */
  check?(settings: Settings, limits: Limits): FieldError[];
  /** The tasks of a bridge with these settings; every connector has `connection.test`. */
  tasks(settings: Settings): ConnectorTask[];
  /** The settings that identify the external system: if one changes, stored cursors are invalid. */
  site?: readonly string[];
  /** Rules beyond the schema of the credentials; pointers start at the credentials. */
  checkCredentials?(credentials: Record<string, unknown>, settings: Settings): FieldError[];
  /** The URLs that the credentials are sent to, always in the same order; required for connectors with credentials. */
  sendsTo?(settings: Settings): CredentialAddress[];
  /** The OAuth token request, for bridges with access tokens that expire. */
  signIn?(settings: Settings, credentials: Record<string, unknown>): TokenRequest | undefined;
  /** Verifies and reads an inbound webhook. */
  readWebhook?(sent: WebhookRequest): ReadWebhook;
  /** Default concurrency of a bridge. */
  concurrency: number;
  /** A shop whose records are converted completely: mappings usually only add to them. */
  isShop?: boolean;
  /** Makes no network calls. Other connectors are blocked in the preview unless allowed. */
  isOffline?: boolean;
  /** Its tasks run in the preview as well and send nothing there: they look at `isPreview`. */
  isSafeInPreview?: boolean;
};

export type Settings = Record<string, unknown>;

/** `at`: pointer to the setting with the URL. */
export type CredentialAddress = { at: string; url: string };

export type AssertionAlgorithm = "RS256" | "PS256" | "ES256";

/** An OAuth 2.0 token request. */
export type TokenRequest = {
  url: string;
  grant: "client_credentials" | "refresh_token";
  /** Client credentials in the Authorization header, or in the body, or an assertion signed with the private key. */
  clientAuth: "basic" | "body" | { algorithm: AssertionAlgorithm; keyId?: string | undefined };
  scope?: string | undefined;
  audience?: string | undefined;
};

/** Limits set by the operator of the hub. */
export type Limits = {
  /** Whether private addresses may be called. */
  allowPrivate: boolean;
  /** The folder for files of bridges; without it file access is disabled. */
  filesRoot?: string;
  /** The hub's own mail server. */
  mailServer?: MailServer;
};

type TaskBase = {
  name: string;
  title: string;
  description: string;
  input: TObject;
  output: TSchema;
  /** May be repeated if the outcome of a request is unknown. */
  idempotent: boolean;
  /** Limit for the whole execution, including repeated requests. */
  timeoutMs: number;
  /** Besides `tasks:execute`: the scope of the endpoint that does the same. */
  requiredScope?: Scope;
};

/** One request and its response. */
export type CallTask = TaskBase & {
  mode: "call";
  /** `failed` of the result counts what was left out: then the execution is completed with errors. */
  countsFailed?: boolean;
  run(call: Call): Promise<Record<string, unknown>>;
};

/** Reads records page by page. The next page is requested after the previous one was stored with its cursor. */
export type PullTask = TaskBase & {
  mode: "pull";
  recordType: "orders" | "locations" | "tracking" | "inventory";
  /** `cursor` is that of the last stored page, of this execution or, for incremental tasks, of an earlier one. */
  pull(call: Call, cursor: unknown): AsyncIterable<Page>;
  /** A later execution continues where the last successful one ended. */
  isIncremental: boolean;
  /** Converts a raw record that a user has corrected. */
  canonicalOf?(raw: Record<string, unknown>, settings: Settings): Record<string, unknown>;
  /** Fetches the current records that these webhook payloads refer to. */
  receive?(call: Call, payloads: unknown[]): Promise<PulledRecord[]>;
};

export type Page = {
  records: PulledRecord[];
  /** JSON. The position after this page. */
  cursor: unknown;
  /** Total number of records, if the API reports it. */
  total?: number;
  /** Records that could not be read. */
  failures?: PageFailure[];
  /** Called after the page was stored, with its rejected records. */
  onStored?(refused: Pick<PageFailure, "externalId" | "message">[]): Promise<void>;
};

export type PageFailure = { externalId: string; code: string; message: string; errors: { message: string }[] };

export type PulledRecord = {
  externalId: string;
  /** Last change at the source: an older state never overwrites a newer one. */
  updatedAt?: string;
  /** Deleted at the source: there is nothing to map. */
  isGone?: boolean;
  /** The record as received; the input of an inbound transformation. */
  raw: Record<string, unknown>;
  /**
   * The record in the format of the hub, used if no transformation is active: for orders the body of `POST /orders` with their
   * state at the source (`hold`, `deleted`, `shippedQuantity` of lines).
   */
  canonical: Record<string, unknown>;
};

/** Sends orders or shipments. Each is an effect that is sent once, across all executions. */
export type PushTask = TaskBase & {
  mode: "push";
  /** With `shipment`, an order is sent once per shipment and lists only that one. */
  unit: "order" | "shipment";
  /**
   * Whether a later execution sends a delivered effect again: if its content has changed, never, or always (for tasks that set
   * a state and read it first).
   */
  resendPolicy: "on_change" | "never" | "always";
  /** The content that is compared to detect changes. Default: the whole record. */
  contentOf?(call: Call, record: Record<string, unknown>): unknown;
  /** The task that reverts this one: after one of them is done, the other may be sent again. */
  opposite?: string;
  /**
   * `record` is the order as in `GET /orders/{id}`, or the result of an outbound transformation.
   * Throws a RemoteError; after one with `mayHaveHappened`, `find` is called, and without `find` the outcome is unknown.
   */
  send(call: Call, record: Record<string, unknown>, effectKey: string): Promise<Sent>;
  /** Finds an effect that has happened; undefined if it has not. A partial one can be sent again unchanged. */
  find?(call: Call, record: Record<string, unknown>, effectKey: string): Promise<Sent | "in part" | undefined>;
  /** Corrects a delivered effect; may be repeated. Undefined: the system cannot correct it. */
  update?(call: Call, record: Record<string, unknown>, sent: Sent, effectKey: string): Promise<Sent | undefined>;
};

export type Sent = { externalId?: string; details?: Record<string, unknown> };

export type ConnectorTask = CallTask | PullTask | PushTask;

/** What the hub does for tasks whose records are no pulled records. */
type HubVerbs = {
  schedulePickups(input: PickupSchedule): Promise<Record<string, unknown>>;
  /** All invoices of a file, or none. A file that is refused opens an exception, which its later import resolves. */
  importInvoices(file: InvoiceSource): Promise<InvoiceOutcome>;
};

export type InvoiceSource = {
  /** Of the file. */
  name: string;
  open(options: InvoiceSourceOptions): Promise<CsvSource>;
  /** As in `POST /invoices/import`. */
  options: Record<string, unknown>;
};

export type InvoiceOutcome =
  | { invoices: { id: string; number: string; amount: number; status: "created" | "unchanged" }[] }
  | { refused: { code: string; message: string } };

/** The context of one attempt. */
export type Call = {
  settings: Settings;
  credentials: Record<string, unknown>;
  input: Record<string, unknown>;
  /** The only way to make requests: with address guard, timeouts and counters. */
  http: HttpClient;
  signal: AbortSignal;
  /** The OAuth access token of the bridge; `rejected`: a token that failed and must be replaced. */
  accessToken(rejected?: string): Promise<string>;
  now(): Date;
  /** Time zone of the organization, for days and for times without an offset. */
  timeZone(): Promise<string>;
  /** Stable across attempts and retries of one execution. */
  effectKey: string;
  /**
   * The IP address to connect to, for protocols other than HTTP: by the same rules as requests, for an effect that may still start.
   * `isOperators`: the operator of the hub has chosen the host, which may be private and need not be listed.
   */
  addressOf(host: string, options?: { isOperators?: boolean }): Promise<string>;
  /** Nothing may reach real recipients. */
  isPreview: boolean;
  /** As in Limits. */
  filesRoot?: string;
  mailServer?: MailServer;
  /** Only in executions. */
  hub?: HubVerbs;
  /** A sample for a user: files must not be moved, so that the import still reads them. */
  isSample?: boolean;
  progress(processed: number, total?: number): void;
  log(level: "info" | "warn" | "error", message: string): void;
};
