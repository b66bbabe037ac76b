import type { Actor } from "../../core/actor.ts";
import { HubError } from "../../core/errors.ts";
import { hashLinkToken, linkTo, newLinkToken, unknownLink } from "../../core/link-token.ts";
import type { Ctx, World } from "../../context.ts";
import { change } from "../../context.ts";
import { recordEvent, recordEventsAcrossOrgs } from "../../events/record-event.ts";
import { canMailLinks, queueMails } from "../mails/mails.ts";
import { getUser, hashNewPassword, requireHeldRole, resetPassword } from "../users/users.ts";
import type { FoundReset, ResetAccount } from "../users/password-resets.store.ts";
import * as store from "../users/password-resets.store.ts";
import { signInLimiter } from "./sign-in-limiter.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** A link that an administrator hands over has a longer way than an e-mail. */
const validMs = { byEmail: hourMs, byAdministrator: 24 * hourMs };
const oneMailPerMs = 5 * minuteMs;
const keptMs = 7 * 24 * hourMs;
const path = "/reset-password";
const system: Actor = { type: "system", name: "password reset" };

/**
 * Only notes the address. Whether it has an account is looked up in the background: response and time are the same for every
 * address, and so is what this request leaves behind.
 */
export async function requestPasswordReset(ctx: Ctx, email: string, address: string): Promise<{ requested: true }> {
  if (!canMailLinks(ctx)) {
    throw new HubError(
      "mail_not_configured",
      "This hub sends no e-mail. Ask an administrator of your organization for a link.",
    );
  }
  signInLimiter(ctx).start(address);
  return await change(ctx, async (tx) => {
    await store.insertRequestAcrossOrgs(tx, ctx.newId(), email);
    await ctx.signals.publish(tx, "password_reset", "");
    return { requested: true as const };
  });
}

/** Background work: links for the addresses that were asked for, one mail for all accounts of an address. */
export async function answerResetRequests(world: World): Promise<void> {
  await world.db.transaction(async (tx) => {
    const emails = await store.takeRequestsAcrossOrgs(tx);
    if (emails.length === 0 || !canMailLinks(world)) return;
    const at = world.clock.real();
    const accounts = await store.findAccountsAcrossOrgs(tx, emails, new Date(at.getTime() - oneMailPerMs));
    const links = accounts.map((account) => ({ account, ...newReset(world, account, system, validMs.byEmail) }));
    await store.insertResets(
      tx,
      links.map(({ reset }) => reset),
    );
    const byEmail = Map.groupBy(links, ({ account }) => account.email.toLowerCase());
    await queueMails(tx, world, [...byEmail.values()].map(mailOf));
    recordEventsAcrossOrgs(
      tx,
      world,
      accounts.map(({ userId, orgId }) => ({
        type: "user.password_reset_requested" as const,
        objectId: userId,
        data: { expiresAt: new Date(at.getTime() + validMs.byEmail).toISOString() },
        orgId,
        actor: system,
        requestId: "system:password-reset",
      })),
    );
  });
}

function mailOf(links: { account: ResetAccount; url: string }[]) {
  const { email, orgId } = links[0]!.account;
  const lines = links.map(({ account, url }) => `${account.organization}:\n${url}\n`);
  const text =
    "A new password was requested for your account on Order Operations Hub. Open the link to choose one:\n\n" +
    `${lines.join("\n")}\n` +
    "Each link works once and expires in 1 hour. If you did not request this, ignore this e-mail: your password stays as it is.\n";
  return { orgId, to: email, subject: "Choose a new password", text };
}

type Account = Pick<ResetAccount, "userId" | "orgId">;

function newReset(world: World, { userId, orgId }: Account, by: Actor, forMs: number) {
  const { token, tokenHash } = newLinkToken();
  const at = world.clock.real();
  const reset = { id: world.newId(), orgId, userId, tokenHash, by, at, expiresAt: new Date(at.getTime() + forMs) };
  return { reset, url: linkTo(world.settings.publicUrls, path, token) };
}

/** For hubs without a mail server: the administrator hands over the link. Not for users with more permissions than the caller. */
export async function createResetLink(ctx: Ctx, userId: string) {
  const user = await getUser(ctx, userId);
  requireHeldRole(ctx, user.role, "");
  if (user.status !== "active") throw new HubError("invalid_state", "The user is disabled. Enable the user first.");
  return await change(ctx, async (tx) => {
    const { reset, url } = newReset(ctx, { userId, orgId: ctx.orgId }, ctx.actor, validMs.byAdministrator);
    await store.insertResets(tx, [reset]);
    const expiresAt = reset.expiresAt.toISOString();
    recordEvent(tx, ctx, { type: "user.password_reset_requested", objectId: userId, data: { expiresAt } });
    return { url, expiresAt };
  });
}

export async function checkResetLink(ctx: Ctx, token: string) {
  const { email, organization, expiresAt } = requireUsable(
    ctx,
    await store.findResetAcrossOrgs(ctx.db, hashLinkToken(token)),
  );
  return { email, organization, expiresAt: expiresAt.toISOString() };
}

/** Ends all sessions. The next sign-in asks for the code of an authenticator app, as before. */
export async function confirmPasswordReset(ctx: Ctx, { token, password }: { token: string; password: string }) {
  const tokenHash = hashLinkToken(token);
  const found = requireUsable(ctx, await store.findResetAcrossOrgs(ctx.db, tokenHash));
  const { userId, orgId, email } = found;
  const own: Ctx = { ...ctx, orgId, actor: { type: "user", id: userId, email } };
  const passwordHash = await hashNewPassword(own, password, email);
  return await change(ctx, async (tx) => {
    // Locked: of two requests with the same link, the second finds it used by the new password.
    requireUsable(ctx, await store.findResetAcrossOrgs(tx, tokenHash, "for update of reset"));
    await resetPassword(tx, own, userId, passwordHash);
    return { changed: true as const };
  });
}

function requireUsable({ clock }: World, reset: FoundReset | undefined): FoundReset {
  if (!reset?.isActive) throw unknownLink();
  if (reset.usedAt)
    throw new HubError(
      "link_used",
      "The link was already used. Sign in with your new password, or request another link.",
    );
  if (reset.expiresAt <= clock.real()) throw new HubError("link_expired", "The link has expired. Request another one.");
  return reset;
}

export async function removeOldResets({ db, clock }: World): Promise<void> {
  await store.deleteOldResetsAcrossOrgs(db, new Date(clock.real().getTime() - keptMs));
}
