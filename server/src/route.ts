import type { Static, TObject, TSchema } from "typebox";
import type { ResourceKind } from "./core/resources.ts";
import type { Scope } from "./core/scopes.ts";
import type { IfMatch } from "./core/versions.ts";
import type { Ctx } from "./context.ts";

type Method = "GET" | "POST" | "PATCH" | "PUT" | "DELETE";

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
  /** Address of the caller, for limits on anonymous requests. */
  address: string;
  /** What the caller's program calls itself; for people who look at their sessions. */
  userAgent: string;
};

/**
 * A route is data: the HTTP server, the OpenAPI document, the capabilities of the gateway and the contract tests are
 * all made from this list, so none of them can forget a route.
 */
type RouteDefinition<Path extends string, Query extends TObject, Body extends TSchema> = {
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
  /** A body of so many bytes makes it heavy work, which a process of its own does; 0: always. */
  heavyFromBytes?: number;
  /** A small body may ask for much: whether it does, before it was checked. */
  isHeavy?(body: object): boolean;
  /** Headers that the verb reads and not every route takes, by their names in the OpenAPI document. */
  headers?: readonly ("Prefer" | "OrganizationId")[];
  answer: readonly [status: 200 | 201 | 202, schema: TSchema];
  /** The verb may answer with an `Unfinished`, which is sent with 202. */
  mayBeUnfinished?: boolean;
  /** Other than JSON; the verb then answers with a `Streamed`, of one of these types. */
  answerType?: "text/csv" | typeof xlsxType | readonly string[];
  /** A body of text/csv is taken as `{ "csv": ... }`; the query says the rest. */
  takesCsv?: boolean;
  /** Statuses beyond those every route can answer, such as 409. */
  failures?: readonly number[];
  /** `sealed`: the answer holds a secret and is kept encrypted; `none`: anonymous, nothing to bind a key to. */
  idempotency?: "plain" | "sealed" | "none";
  /** A POST because it takes a body, not because it changes something: no event is recorded. */
  onlyLooks?: boolean;
  previewOnly?: boolean;
  /** Needs a recent proof of password or code: of people who have codes or whose organization wants it, or of all people. */
  stepUp?: "if wanted" | "always";
  handle(ctx: Ctx, input: RouteInput<Path, Query, Body>): Promise<unknown>;
};

/** The work goes on after the answer: the same shape, but 202. */
export class Unfinished<T> {
  readonly answer: T;

  constructor(answer: T) {
    this.answer = answer;
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

export type Route = Omit<RouteDefinition<string, TObject, TSchema>, "handle"> & {
  method: Method;
  path: string;
  handle(ctx: Ctx, input: never): Promise<unknown>;
};

export function defineRoute<const Path extends string, Query extends TObject = TObject, Body extends TSchema = TSchema>(
  endpoint: `${Method} ${Path}`,
  definition: RouteDefinition<Path, Query, Body>,
): Route {
  const [method, path] = endpoint.split(" ") as [Method, Path];
  return { method, path, ...definition };
}
