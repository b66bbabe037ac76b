import { badField, HubError } from "../../core/errors.ts";
import { passwordMatches } from "../../core/passwords.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import { recordEvent } from "../../events/record-event.ts";
import * as sessions from "../users/sessions.store.ts";
import { hasTotp, useTotp } from "../users/totp.ts";
import { findPasswordHash } from "../users/users.ts";
import type { StepUpRequest } from "./auth.schemas.ts";
import { startAttempt } from "./sign-in-attempts.ts";

/** Confirms that the caller is the user, not only the holder of a session, before sensitive changes. */
export async function stepUp(ctx: Ctx, { password, totpCode }: StepUpRequest, address: string) {
  const { actor } = ctx;
  const { sessionId } = ctx.principal;
  if (actor.type !== "user" || sessionId === undefined || ctx.principal.isFromIdentityProvider) {
    throw new HubError("invalid_state", "Step-up applies only to users who signed in with a password.");
  }
  const requiresCode = await hasTotp(ctx.db, actor.id);
  const given = requiresCode ? totpCode : password;
  if (given === undefined) {
    const name = requiresCode ? "totpCode" : "password";
    throw badField(`/${name}`, "required", `Send \`${name}\`.`);
  }
  const attempt = await startAttempt(ctx, { email: actor.email, userIds: [actor.id] }, address);
  const incorrect = requiresCode
    ? badField("/totpCode", "incorrect_code", "The code is incorrect or already used.")
    : badField("/password", "incorrect_password", "The password is incorrect.");
  // During a pause the code is not consumed.
  if (attempt.retryAfterSeconds !== undefined) throw await attempt.failed(incorrect);
  const stored = requiresCode ? undefined : await findPasswordHash(ctx.db, ctx.orgId, actor.id);
  const isPasswordCorrect = stored !== undefined && (await passwordMatches(given, stored));
  const at = ctx.clock.real();
  try {
    const answer = await change(ctx, async (tx) => {
      // Thrown, not returned: a returned value would be stored as the response of the Idempotency-Key.
      if (!(requiresCode ? await useTotp(tx, ctx, actor.id, given) : isPasswordCorrect)) throw incorrect;
      await sessions.markReauthenticated(tx, ctx.orgId, sessionId, at);
      recordEvent(tx, ctx, { type: "session.reauthenticated", objectId: actor.id });
      await ctx.signals.publish(tx, "user", actor.id);
      return { authenticatedAt: at.toISOString() };
    });
    await attempt.succeeded();
    return answer;
  } catch (error) {
    throw error === incorrect ? await attempt.failed(incorrect) : error;
  }
}
