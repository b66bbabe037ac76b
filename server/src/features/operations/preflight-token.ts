import { createHmac, hash, timingSafeEqual } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { badField } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import type { RunRequest } from "./operations.schemas.ts";

const lifetimeMs = 60 * 60_000;
const maxInflated = 1024 * 1024;

/** An order as the preflight saw it, with its error and warning codes separated by blanks. */
export type SeenOrder = { id: string; version: number; codes: string };

/** The parts of a request that decide what a run does, besides the orders. */
export type RequestedPipeline = Pick<RunRequest, "actions" | "on_error" | "atomic">;

/** Named orders are in the token itself: versions in the order of the ids, and for each an index into `codes`. */
type NamedOrders = { orders: string; versions: number[]; codes?: string[]; said?: number[] };
/** What a preflight saw of a selection is stored beside the selection. */
export type SeenSelection = { selection: string; preflight: string };
type Content = { org: string; expires: number; pipeline: string } & (NamedOrders | SeenSelection);

/** Identifies the pipeline, the orders and their versions. For named orders nothing is stored: the run names them again. */
export function makePreflightToken(
  ctx: Ctx,
  pipeline: RequestedPipeline,
  seen: SeenOrder[] | (SeenSelection & { expiresAt: Date }),
): { token: string; expiresAt: string } {
  const latest = ctx.clock.now().getTime() + lifetimeMs;
  const expires = Array.isArray(seen) ? latest : Math.min(latest, seen.expiresAt.getTime());
  const orders = Array.isArray(seen) ? packOrders(seen) : { selection: seen.selection, preflight: seen.preflight };
  const content: Content = { org: ctx.orgId, expires, pipeline: digestOf(pipeline), ...orders };
  const body = deflateRawSync(JSON.stringify(content)).toString("base64url");
  return { token: `pf1.${body}.${sign(ctx, body)}`, expiresAt: new Date(expires).toISOString() };
}

/** What the preflight saw of these orders, by id. Throws if they are not the orders of the preflight. */
export function readSeenOrders(
  ctx: Ctx,
  token: string,
  pipeline: RequestedPipeline,
  ids: string[],
): Map<string, SeenOrder> {
  const content = open(ctx, token, pipeline);
  const sorted = ids.toSorted();
  if (!("orders" in content) || content.orders !== digest(sorted.join()))
    throw refuse("The preflight was made for other orders, or some of them are gone. Make a new one.");
  const { versions, codes = [], said = [] } = content;
  return new Map(sorted.map((id, i) => [id, { id, version: versions[i]!, codes: codes[said[i] ?? 0] ?? "" }]));
}

/** The id of the preflight of this selection. */
export function readSeenSelection(ctx: Ctx, token: string, pipeline: RequestedPipeline, selectionId: string): string {
  const content = open(ctx, token, pipeline);
  if (!("selection" in content) || content.selection !== selectionId)
    throw refuse("The preflight was made for other orders. Name its selection_id, or make a new one.");
  return content.preflight;
}

function packOrders(seen: SeenOrder[]): NamedOrders {
  const sorted = seen.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const codes = [...new Set(["", ...sorted.map((order) => order.codes)])];
  const places = new Map(codes.map((code, place) => [code, place]));
  return {
    orders: digest(sorted.map(({ id }) => id).join()),
    versions: sorted.map(({ version }) => version),
    ...(codes.length === 1 ? {} : { codes, said: sorted.map((order) => places.get(order.codes)!) }),
  };
}

function refuse(message: string): Error {
  return badField("/preflight_token", "preflight_mismatch", message);
}

function open(ctx: Ctx, token: string, pipeline: RequestedPipeline): Content {
  const content = read(ctx, token);
  if (!content || content.org !== ctx.orgId) throw refuse("The token was not issued by this hub.");
  if (content.expires < ctx.clock.now().getTime())
    throw refuse("The preflight is older than one hour. Make a new one.");
  if (content.pipeline !== digestOf(pipeline)) {
    throw refuse("The preflight was made for other actions, or another on_error or atomic. Make a new one.");
  }
  return content;
}

function read(ctx: Ctx, token: string): Content | undefined {
  const [version, body = "", mac = ""] = token.split(".");
  const [given, expected] = [Buffer.from(mac), Buffer.from(sign(ctx, body))];
  if (version !== "pf1" || given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const text = inflateRawSync(Buffer.from(body, "base64url"), { maxOutputLength: maxInflated }).toString();
  return JSON.parse(text) as Content;
}

function sign(ctx: Ctx, body: string): string {
  return createHmac("sha256", ctx.secrets.derive("preflight")).update(body).digest("base64url");
}

/** Equal for equivalent pipelines: absent or default, and members in any order. */
function digestOf({ actions, on_error = "skip_order", atomic = false }: RequestedPipeline): string {
  const sorted = (_key: string, value: unknown): unknown =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value;
  return digest(JSON.stringify([actions, on_error, atomic], sorted));
}

function digest(text: string): string {
  return hash("sha256", text, "base64url");
}
