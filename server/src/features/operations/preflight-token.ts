import { createHmac, hash, timingSafeEqual } from "node:crypto";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { badField } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import type { RunRequest } from "./operations.schemas.ts";

const lifetimeMs = 60 * 60_000;
const maxInflated = 1024 * 1024;

/** The orders of a preflight with the versions it saw. */
export type SeenOrders = { id: string; version: number }[];

/** What decides what a run does, besides the orders. */
export type RequestedPipeline = Pick<RunRequest, "actions" | "on_error" | "atomic">;

type Content = { org: string; expires: number; pipeline: string; orders: string; versions: number[] };

/**
 * Says "this pipeline, these orders, at these versions" without anything being stored: a preflight writes nothing.
 * Versions are in the order of the ids, which the run names again.
 */
export function makePreflightToken(
  ctx: Ctx,
  pipeline: RequestedPipeline,
  seen: SeenOrders,
): { token: string; expiresAt: string } {
  const expires = ctx.clock.now().getTime() + lifetimeMs;
  const sorted = seen.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const content: Content = {
    org: ctx.orgId,
    expires,
    pipeline: digestOf(pipeline),
    orders: digest(sorted.map(({ id }) => id).join()),
    versions: sorted.map(({ version }) => version),
  };
  const body = deflateRawSync(JSON.stringify(content)).toString("base64url");
  return { token: `pf1.${body}.${sign(ctx, body)}`, expiresAt: new Date(expires).toISOString() };
}

/** The ids of the orders that are no longer at the version that the preflight saw. */
export function findDrift(ctx: Ctx, token: string, pipeline: RequestedPipeline, now: SeenOrders): string[] {
  const content = open(ctx, token);
  const refuse = (message: string) => badField("/preflight_token", "preflight_mismatch", message);
  if (!content || content.org !== ctx.orgId) throw refuse("This is not a preflight token of this hub.");
  if (content.expires < ctx.clock.now().getTime()) throw refuse("The preflight is older than an hour. Make a new one.");
  if (content.pipeline !== digestOf(pipeline)) {
    throw refuse("The preflight was made for other actions, or another on_error or atomic. Make a new one.");
  }
  const sorted = now.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  if (content.orders !== digest(sorted.map(({ id }) => id).join()))
    throw refuse("The preflight was made for other orders, or some of them are gone. Make a new one.");
  return sorted.filter(({ version }, i) => version !== content.versions[i]).map(({ id }) => id);
}

function open(ctx: Ctx, token: string): Content | undefined {
  const [version, body = "", mac = ""] = token.split(".");
  const [given, expected] = [Buffer.from(mac), Buffer.from(sign(ctx, body))];
  if (version !== "pf1" || given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const text = inflateRawSync(Buffer.from(body, "base64url"), { maxOutputLength: maxInflated }).toString();
  return JSON.parse(text) as Content;
}

function sign(ctx: Ctx, body: string): string {
  return createHmac("sha256", ctx.secrets.derive("preflight")).update(body).digest("base64url");
}

/** The same for what means the same: absent and default, and members in any order. */
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
