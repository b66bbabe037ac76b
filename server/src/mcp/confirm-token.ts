import { createHmac, timingSafeEqual } from "node:crypto";
import { callerKey } from "../core/actor.ts";
import type { Principal } from "../core/actor.ts";
import type { World } from "../context.ts";
import type { Arguments } from "./route-call.ts";
import { invalidArgument, stableJson } from "./route-call.ts";

const lifetimeMs = 5 * 60_000;

export type ConfirmedCall = {
  tool: string;
  args: Arguments;
  /** Version of the record whose change was shown; a change in between invalidates the confirmation. */
  version?: number;
};

type Signer = Pick<World, "secrets" | "clock"> & { principal: Principal };

/** Proves that this caller was shown the effect of exactly this call. Nothing is stored. */
export function makeConfirmToken(signer: Signer, call: ConfirmedCall): { confirm: string; expires_at: string } {
  const expires = signer.clock.real().getTime() + lifetimeMs;
  const seen = `${expires}.${call.version ?? ""}`;
  return { confirm: `cf1.${seen}.${sign(signer, call, seen)}`, expires_at: new Date(expires).toISOString() };
}

/** The version that was shown, if any. Throws unless the token belongs to this call and caller. */
export function readConfirmToken(
  signer: Signer,
  call: Omit<ConfirmedCall, "version">,
  token: unknown,
): string | undefined {
  const [format, expires = "", version = "", mac = ""] = typeof token === "string" ? token.split(".") : [];
  const [given, expected] = [Buffer.from(mac), Buffer.from(sign(signer, call, `${expires}.${version}`))];
  if (format !== "cf1" || given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw invalidArgument(
      "confirm",
      "confirmation_mismatch",
      "The token belongs to another call or another caller. Call again with the same arguments, without confirm.",
    );
  }
  if (Number(expires) < signer.clock.real().getTime()) {
    const message = "The token has expired after five minutes. Call again without confirm, and show the effect anew.";
    throw invalidArgument("confirm", "confirmation_expired", message);
  }
  return version === "" ? undefined : version;
}

function sign({ secrets, principal }: Signer, { tool, args }: Omit<ConfirmedCall, "version">, seen: string): string {
  const signed = stableJson([principal.orgId, callerKey(principal.actor), tool, args, seen]);
  return createHmac("sha256", secrets.derive("mcp-confirm")).update(signed).digest("base64url");
}
