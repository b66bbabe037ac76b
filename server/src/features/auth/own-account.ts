import { badField, HubError } from "../../core/errors.ts";
import { passwordMatches } from "../../core/passwords.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import { canMailLinks, queueMails } from "../mails/mails.ts";
import { changeOwnEmail, changeOwnName, findPasswordHash } from "../users/users.ts";
import type { EmailChange, NameChange } from "../users/users.schemas.ts";
import { startAttempt } from "./sign-in-attempts.ts";

export async function renameSelf(ctx: Ctx, { name }: NameChange) {
  return await change(ctx, (tx) => changeOwnName(tx, ctx, ownId(ctx), name));
}

/**
 * With the password, since the address is where links for a new password go. A message is sent to the former address. Not where an identity
 * provider signs people in by their address: one could take over the first sign-in of a colleague.
 */
export async function changeEmail(ctx: Ctx, { email, currentPassword }: EmailChange, address: string) {
  const id = ownId(ctx);
  if (ctx.settings.oidc) {
    throw new HubError("invalid_state", "With an identity provider, e-mail addresses are set by an administrator.");
  }
  const stored = await findPasswordHash(ctx.db, ctx.orgId, id);
  const before = ctx.actor.type === "user" ? ctx.actor.email : "";
  const attempt = await startAttempt(ctx, { email: before, userIds: [id] }, address);
  const isCorrect = stored !== undefined && (await passwordMatches(currentPassword, stored));
  if (!isCorrect || attempt.retryAfterSeconds !== undefined) {
    throw await attempt.failed(
      badField("/currentPassword", "incorrect_password", "The current password is incorrect."),
    );
  }
  await attempt.succeeded();
  return await change(ctx, async (tx) => {
    const user = await changeOwnEmail(tx, ctx, id, email);
    if (canMailLinks(ctx) && before.toLowerCase() !== email.toLowerCase()) {
      const text = `Your account on Order Operations Hub now signs in with ${email}.\n\nIf this was not you, tell an administrator at once.\n`;
      const subject = "Your e-mail address was changed";
      await queueMails(tx, ctx, [{ orgId: ctx.orgId, to: before, subject, text }]);
    }
    return user;
  });
}

function ownId({ actor }: Ctx): string {
  if (actor.type === "user") return actor.id;
  throw new HubError("invalid_state", "API keys have no account; sign in as a user.");
}
