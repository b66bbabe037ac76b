import { hash, randomBytes } from "node:crypto";
import { badField, HubError } from "../../core/errors.ts";
import { findTotpStep, toBase32, totpUri } from "../../core/totp-codes.ts";
import type { Ctx, World } from "../../context.ts";
import { change } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import type { TotpConfirmation, TotpStatus } from "./totp.schemas.ts";
import * as store from "./totp.store.ts";

export { hasTotp } from "./totp.store.ts";

const secretBytes = 20;
const recoveryCodeCount = 10;

export async function getTotpStatus(ctx: Ctx): Promise<TotpStatus> {
  const id = ownId(ctx);
  const isEnabled = await store.hasTotp(ctx.db, id);
  return { isEnabled, recoveryCodesLeft: isEnabled ? await store.countRecoveryCodes(ctx.db, id) : 0 };
}

/** Codes are required only after `confirmTotp`: a secret that was not stored in the app would lock the user out. */
export async function startTotpSetup(ctx: Ctx) {
  const id = ownId(ctx);
  const secret = randomBytes(secretBytes);
  return await change(ctx, async (tx) => {
    if ((await store.lockTotp(tx, id))?.confirmed_at) {
      throw new HubError("invalid_state", "Two-factor sign-in is already on; turn it off first.");
    }
    const sealed = ctx.secrets.seal(secret.toString("base64"), sealContext(id));
    await store.putTotp(tx, { userId: id, orgId: ctx.orgId, secret: sealed, at: ctx.clock.real() });
    const account = ctx.actor.type === "user" ? ctx.actor.email : id;
    const issuer = ctx.environment === "live" ? "Order Operations Hub" : "Order Operations Hub (preview)";
    return { secret: toBase32(secret), uri: totpUri(secret, { issuer, account }) };
  });
}

export async function confirmTotp(ctx: Ctx, { code }: TotpConfirmation) {
  const id = ownId(ctx);
  return await change(ctx, async (tx) => {
    const row = await store.lockTotp(tx, id);
    if (!row || row.confirmed_at)
      throw new HubError("invalid_state", "No authenticator setup is in progress; start a new one.");
    if (!(await useTotpOf(tx, ctx, id, row, code))) {
      throw badField(
        "/code",
        "incorrect_code",
        "The code does not match the current time. Check the clock of the device.",
      );
    }
    const recoveryCodes = await renewRecoveryCodes(tx, id);
    recordEvent(tx, ctx, { type: "user.totp_enabled", objectId: id });
    await ctx.signals.publish(tx, "user", id);
    return { recoveryCodes };
  });
}

export async function replaceRecoveryCodes(ctx: Ctx) {
  const id = ownId(ctx);
  return await change(ctx, async (tx) => {
    if (!(await store.lockTotp(tx, id))?.confirmed_at)
      throw new HubError("invalid_state", "Two-factor sign-in is not on.");
    const recoveryCodes = await renewRecoveryCodes(tx, id);
    recordEvent(tx, ctx, { type: "user.recovery_codes_replaced", objectId: id });
    return { recoveryCodes };
  });
}

export async function disableOwnTotp(ctx: Ctx) {
  return await change(ctx, (tx) => removeTotp(tx, ctx, ownId(ctx)));
}

export async function removeTotp(tx: Tx, ctx: Ctx, userId: string) {
  if (!(await store.deleteTotp(tx, ctx.orgId, userId)))
    throw new HubError("invalid_state", "Two-factor sign-in is not on.");
  recordEvent(tx, ctx, { type: "user.totp_disabled", objectId: userId });
  await ctx.signals.publish(tx, "user", userId);
  return { disabled: true as const };
}

/** Checks an authenticator or recovery code and marks it used. */
export async function useTotp(tx: Tx, world: World, userId: string, code: string): Promise<boolean> {
  const row = await store.lockTotp(tx, userId);
  if (!row?.confirmed_at) return false;
  if (await useTotpOf(tx, world, userId, row, code)) return true;
  return await store.useRecoveryCode(tx, userId, hashCode(code), world.clock.real());
}

async function useTotpOf(tx: Tx, world: World, userId: string, row: store.TotpRow, code: string): Promise<boolean> {
  const secret = Buffer.from(world.secrets.open(row.secret, sealContext(userId)), "base64");
  const at = world.clock.real();
  const step = findTotpStep(secret, code.trim(), at, row.last_step);
  if (step === undefined) return false;
  await store.markStepUsed(tx, userId, step, at);
  return true;
}

async function renewRecoveryCodes(tx: Tx, userId: string): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodeCount }, () =>
    toBase32(randomBytes(10))
      .toLowerCase()
      .replace(/(.{8})/, "$1-"),
  );
  await store.replaceRecoveryCodes(tx, userId, codes.map(hashCode));
  return codes;
}

/** A fast hash is sufficient: the code has 80 random bits. */
function hashCode(code: string): Buffer {
  return hash("sha256", code.toLowerCase().replaceAll(/[^a-z2-7]/g, ""), "buffer");
}

const sealContext = (userId: string): string => `totp:${userId}`;

function ownId({ actor, principal }: Ctx): string {
  if (actor.type === "user" && principal.sessionId !== undefined && !principal.isFromIdentityProvider) return actor.id;
  throw new HubError("invalid_state", "Only users who sign in with a password can use an authenticator app.");
}
