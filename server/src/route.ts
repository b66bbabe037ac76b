import type { Static, TObject, TSchema } from "typebox";
import type { ResourceKind } from "./core/resources.ts";
import type { Scope } from "./core/scopes.ts";
import type { IfMatch } from "./core/versions.ts";
import type { Ctx } from "./context.ts";

type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

/**
 * What a route does, as the last word of its name. Clients, commands and tools are named after it: a new verb is a word that
 * people have to learn, so this list is short, and a plain read or change of a record has the plain one.
 */
export const verbsOf = {
  GET: ["list", "get", "count", "export", "stream", "watch"],
  POST: [
    "create",
    "createMany",
    "resolveMany",
    "import",
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
    "check",
    "test",
    "testUnsaved",
    "fetch",
    "suggest",
    "preview",
    "preflight",
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
  ],
  PATCH: ["update"],
  PUT: ["replace"],
  DELETE: ["delete", "clear"],
} as const satisfies Record<Method, readonly string[]>;

/** Where it is, and what it does there: `operations.runs.retry`. It stays, whatever becomes of the path. */
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
  /** The versions of the If-Match header; undefined when the caller sent none. */
  ifMatch: IfMatch;
  /** `Prefer: respond-async`: the caller does not want to wait for the work. */
  prefersAsync: boolean;
  /** The X-Organization-Id header, which only the gateway reads. */
  organizationHeader: string | undefined;
  /** What a reader of a stream has got last, as it says when it comes again. */
  lastEventId: string | undefined;
  /** Address of the caller, for limits on anonymous requests. */
  address: string;
  /** Of a route that takes any body. */
  sent: SentRequest;
  /** What the caller's program calls itself; for people who look at their sessions. */
  userAgent: string;
  /** Of routes with `setsCookie`. */
  browser: Browser | undefined;
};

/** A request as it came, for whoever checks a signature. */
export type SentRequest = { headers: Readonly<Record<string, string | string[] | undefined>>; body: Buffer };

/** What a sign-in with a browser goes by. */
export type Browser = {
  /** Of the hub, as its pages have it. */
  origin: string;
  /** The cookie of a sign-in elsewhere that was begun here. */
  signIn: string | undefined;
};

/** One that a browser is to have from now on, or (null) not any more. */
type NewCookie = { value: string; maxAgeSeconds: number } | null;
/** `session`: who is signed in. `signIn`: what a sign-in elsewhere was begun with. */
export type NewCookies = { session?: NewCookie; signIn?: NewCookie };

/**
 * A route is data: the HTTP server, the OpenAPI document, the capabilities of the gateway and the contract tests are
 * all made from this list, so none of them can forget a route.
 */
type RouteDefinition<M extends Method, Path extends string, Query extends TObject, Body extends TSchema> = {
  /** Of its own, for good: it is the operationId, and what clients call it by. docs/route-names.txt has all of them. */
  name: NameOf<M>;
  /** `public`: no token at all; `any`: any valid token. */
  scope: Scope | "public" | "any";
  summary: string;
  description?: string;
  /** What the ids in the path point at; unknown and foreign ones answer this kind's 404. */
  ids?: Record<string, ResourceKind>;
  /** A name, such as an order number, may stand for the id: the verb looks it up. */
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
  /** Headers that the verb reads and not every route takes, by their names in the OpenAPI document. */
  headers?: readonly ("Prefer" | "OrganizationId" | "LastEventId")[];
  answer: readonly [status: 200 | 201 | 202, schema: TSchema];
  /** The verb may answer with an `Unfinished`, which is sent with 202. */
  mayBeUnfinished?: boolean;
  /** Other than JSON; the verb then answers with a `Streamed`, of one of these types, or with a `Live`. */
  answerType?: "text/csv" | typeof xlsxType | typeof liveType | readonly string[];
  /** A body of text/csv is taken as `{ "csv": ... }`; the query says the rest. */
  takesCsv?: boolean;
  /** The body is not read at all: the verb gets its bytes, of whatever type they are. */
  takesAnyBody?: boolean;
  /** Statuses beyond those every route can answer, such as 409. */
  failures?: readonly number[];
  /** `sealed`: the answer holds a secret and is kept encrypted; `none`: anonymous, nothing to bind a key to. */
  idempotency?: "plain" | "sealed" | "none";
  /** A POST because it takes a body, not because it changes something: no event is recorded. */
  isReadOnly?: boolean;
  /** The verb answers with `WithCookies`: pages of other origins may not ask for it. */
  setsCookie?: boolean;
  previewOnly?: boolean;
  /**
   * Open to users who still have to set up the authenticator app that their organization requires. All other routes are closed
   * to them.
   */
  beforeEnrollment?: boolean;
  /** Needs a recent proof of password or code: of people who have codes or whose organization wants it, or of all people. */
  stepUp?: "if required" | "always";
  handle(ctx: Ctx, input: RouteInput<Path, Query, Body>): Promise<unknown>;
};

/** The work goes on after the answer: the same shape, but 202. */
export class Unfinished<T> {
  readonly answer: T;

  constructor(answer: T) {
    this.answer = answer;
  }
}

/** A browser is signed in, or out, with this answer. */
export class WithCookies<T> {
  readonly answer: T;
  readonly cookies: NewCookies;

  constructor(answer: T, cookies: NewCookies) {
    this.answer = answer;
    this.cookies = cookies;
  }
}

export const xlsxType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/** An answer that is sent while it is made, instead of as one JSON text. */
export class Streamed {
  readonly contentType: string;
  readonly fileName: string;
  readonly body: AsyncIterable<string | Uint8Array>;

  constructor(contentType: string, fileName: string, body: AsyncIterable<string | Uint8Array>) {
    this.contentType = contentType;
    this.fileName = fileName;
    this.body = body;
  }
}

/** Server-sent events; `answer` is the schema of their data. */
export const liveType = "text/event-stream";

/** An answer that goes on until one side ends it. What can be refused is refused before. */
export class Live {
  readonly follow: (reader: LiveReader) => Promise<void>;

  constructor(follow: (reader: LiveReader) => Promise<void>) {
    this.follow = follow;
  }
}

/** Whoever reads it. */
export type LiveReader = {
  /** Aborted when nobody reads any more, or may. */
  ended: AbortSignal;
  /** For what can be read again later: resolves when so much of it was taken that more makes sense. */
  send(text: string): Promise<void>;
  /** For what happens now: does not wait. Whoever does not take it in time is cut off, and may come again. */
  push(text: string): void;
  /** The text of one piece of data, by the schema of the route's answer. */
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
