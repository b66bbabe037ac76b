import type { Static, TObject, TSchema } from "typebox";
import type { ResourceKind } from "./core/resources.ts";
import type { Scope } from "./core/scopes.ts";
import type { IfMatch } from "./core/versions.ts";
import type { Ctx } from "./context.ts";

type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

/** Verbs that route names end with. Clients are generated from these names, so the list is short and uses standard verbs. */
export const verbsOf = {
  GET: ["list", "get", "count", "export", "stream", "watch"],
  POST: [
    "create",
    "createMany",
    "resolveMany",
    "updateMany",
    "import",
    "install",
    "add",
    "receive",
    "fetch",
    "remove",
    "set",
    "process",
    "sync",
    "track",
    "void",
    "quote",
    "explain",
    "check",
    "test",
    "testUnsaved",
    "fetch",
    "suggest",
    "preview",
    "preflight",
    "stream",
    "run",
    "execute",
    "executeMany",
    "executeSync",
    "replay",
    "pause",
    "resume",
    "enable",
    "resend",
    "trigger",
    "backfill",
    "cancel",
    "retry",
    "retryMany",
    "undo",
    "rollback",
    "resolve",
    "reset",
    "revoke",
    "revokeOthers",
    "change",
    "activate",
    "deactivate",
    "rotate",
    "confirm",
    "signIn",
    "refresh",
    "signOut",
    "stepUp",
    "accept",
    "markRead",
  ],
  PATCH: ["update"],
  PUT: ["replace"],
  DELETE: ["delete", "clear"],
} as const satisfies Record<Method, readonly string[]>;

/** Resource and verb, such as `operations.runs.retry`. Stays the same if the path changes. */
type NameOf<M extends Method> = `${string}.${(typeof verbsOf)[M][number]}`;

type ParamsOf<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? { [K in Name]: string } & ParamsOf<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? { [K in Name]: string }
    : unknown;

export type RouteInput<Path extends string, Query extends TObject, Body extends TSchema> = {
  params: ParamsOf<Path>;
  query: Static<Query>;
  body: Static<Body>;
  /** Versions of the If-Match header; undefined without one. */
  ifMatch: IfMatch;
  /** `Prefer: respond-async`: the caller does not wait for the work to finish. */
  prefersAsync: boolean;
  /** X-Organization-Id header; read by the gateway only. */
  organizationHeader: string | undefined;
  /** Last-Event-ID of a reconnecting stream client. */
  lastEventId: string | undefined;
  /** Client address, for limits on anonymous requests. */
  address: string;
  /** Set for routes with `takesAnyBody`. */
  sent: SentRequest;
  /** User-Agent header, shown in the list of sessions. */
  userAgent: string;
  /** Set for routes with `setsCookie`. */
  browser: Browser | undefined;
};

/** The unparsed request, to verify its signature. */
export type SentRequest = { headers: Readonly<Record<string, string | string[] | undefined>>; body: Buffer };

/** Browser that sends the request, for sign-ins. */
export type Browser = {
  /** Origin of the hub's pages. */
  origin: string;
  /** Cookie of a pending sign-in through the identity provider. */
  signIn: string | undefined;
};

/** A cookie to set, or null to delete it. */
type NewCookie = { value: string; maxAgeSeconds: number } | null;
/** `session`: the session. `signIn`: a pending sign-in through the identity provider. */
export type NewCookies = { session?: NewCookie; signIn?: NewCookie };

/**
 * A route is data: the HTTP server, the OpenAPI document, the gateway's capabilities and the contract tests are derived from the
 * list of routes, so that none of them can miss one.
 */
type RouteDefinition<M extends Method, Path extends string, Query extends TObject, Body extends TSchema> = {
  /** Unique and permanent: the operationId, which clients use. Listed in docs/route-names.txt. */
  name: NameOf<M>;
  /** `public`: no token required; `any`: any valid token. */
  scope: Scope | "public" | "any";
  summary: string;
  description?: string;
  /** Record types of the IDs in the path; unknown and foreign IDs return the 404 of the type. */
  ids?: Record<string, ResourceKind>;
  /** A name, such as an order number, is accepted instead of the ID; the verb looks it up. */
  takesNames?: boolean;
  query?: Query;
  body?: Body;
  bodyIsOptional?: boolean;
  bodyLimitBytes?: number;
  /** A body of this many bytes is processed by a worker process; 0: always. */
  offloadFromBytes?: number;
  /** So is one whose lists have this many elements, or whose file has this many lines; higher for routes that work in batches. */
  offloadFromItems?: number;
  /** A small body may ask for much: whether it does, before it was validated. */
  needsOffload?(body: object): boolean;
  /** Additional request headers, by their names in the OpenAPI document. */
  headers?: readonly ("Prefer" | "OrganizationId" | "LastEventId")[];
  answer: readonly [status: 200 | 201 | 202, schema: TSchema];
  /** The verb may return an `Unfinished`, which is sent with 202. */
  mayBeUnfinished?: boolean;
  /** Content type other than JSON; the verb returns a `Streamed` of this type or a `Live`. */
  answerType?: "text/csv" | typeof xlsxType | typeof liveType | readonly string[];
  /** A text/csv body is read as `{ "csv": ... }`, with options in the query. */
  takesCsv?: boolean;
  /** The body is not parsed: the verb gets its bytes, whatever the content type. */
  takesAnyBody?: boolean;
  /** Error statuses besides those of every route, such as 409. */
  failures?: readonly number[];
  /** `sealed`: the response contains a secret and is stored encrypted; `none`: anonymous, without a caller to bind a key to. */
  idempotency?: "plain" | "sealed" | "none";
  /** A POST that only needs a body and changes nothing: records no event. */
  isReadOnly?: boolean;
  /** A change that agent keys may request directly, because the verb applies their limits; other changes go through MCP. */
  isOpenToAgents?: boolean;
  /** The verb returns `WithCookies`. Requests from pages of other origins are rejected. */
  setsCookie?: boolean;
  previewOnly?: boolean;
  /**
   * Allowed for users who must still set up the authenticator app that their organization requires.
   */
  beforeEnrollment?: boolean;
  /** Requires recent authentication: of users with an authenticator app or whose organization requires it, or of all users. */
  stepUp?: "if required" | "always";
  handle(ctx: Ctx, input: RouteInput<Path, Query, Body>): Promise<unknown>;
};

/** The work continues after the response: same schema, status 202. */
export class Unfinished<T> {
  readonly answer: T;

  constructor(answer: T) {
    this.answer = answer;
  }
}

/** A response that sets or deletes cookies. */
export class WithCookies<T> {
  readonly answer: T;
  readonly cookies: NewCookies;

  constructor(answer: T, cookies: NewCookies) {
    this.answer = answer;
    this.cookies = cookies;
  }
}

export const xlsxType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/** A response that is sent while it is generated. */
export class Streamed {
  readonly contentType: string;
  readonly fileName: string;
  readonly body: AsyncIterable<string | Uint8Array>;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    contentType: string,
    fileName: string,
    body: AsyncIterable<string | Uint8Array>,
    headers: Readonly<Record<string, string>> = {},
  ) {
    this.contentType = contentType;
    this.fileName = fileName;
    this.body = body;
    this.headers = headers;
  }
}

/** Server-sent events; `answer` is the schema of their data. */
export const liveType = "text/event-stream";

/** A stream that stays open until either side ends it. Errors must be thrown before it is returned. */
export class Live {
  readonly follow: (reader: LiveReader) => Promise<void>;

  constructor(follow: (reader: LiveReader) => Promise<void>) {
    this.follow = follow;
  }
}

/** Client of a live stream. */
export type LiveReader = {
  /** Aborted when the client disconnects or its token expires. */
  ended: AbortSignal;
  /** For data that can be read again later: resolves when the client is ready for more. */
  send(text: string): Promise<void>;
  /** For live data: does not wait. A client that reads too slowly is disconnected and may reconnect. */
  push(text: string): void;
  /** Serializes data by the schema of the route. */
  toText(data: unknown): string;
};

export type Route = Omit<RouteDefinition<Method, string, TObject, TSchema>, "handle"> & {
  method: Method;
  path: string;
  handle(ctx: Ctx, input: never): Promise<unknown>;
};

export function defineRoute<
  const M extends Method,
  const Path extends string,
  Query extends TObject = TObject,
  Body extends TSchema = TSchema,
>(endpoint: `${M} ${Path}`, definition: RouteDefinition<M, Path, Query, Body>): Route {
  const [method, path] = endpoint.split(" ") as [M, Path];
  return { method, path, ...definition };
}
