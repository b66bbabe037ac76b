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

/** Shows once more that whoever has the session is its holder: what matters most is not open to a stolen token. */
export async function stepUp(ctx: Ctx, { password, totpCode }: StepUpRequest, address: string) {
  const { actor } = ctx;
  const { sessionId } = ctx.principal;
  if (actor.type !== "user" || sessionId === undefined || ctx.principal.isByIssuer) {
    throw new HubError("invalid_state", "Only people who signed in here with a password are asked for this.");
  }
  const needsCode = await hasTotp(ctx.db, actor.id);
  const given = needsCode ? totpCode : password;
  if (given === undefined) {
    const name = needsCode ? "totpCode" : "password";
    throw badField(`/${name}`, "required", `Send \`${name}\`.`);
  }
  const attempt = await startAttempt(ctx, { email: actor.email, userIds: [actor.id] }, address);
  const wrong = needsCode
    ? badField("/totpCode", "wrong_code", "The code is wrong, or was used before.")
    : badField("/password", "wrong_password", "The password is wrong.");
  // During a pause nothing is used up.
  if (attempt.retryAfterSeconds !== undefined) throw await attempt.failed(wrong);
  const stored = needsCode ? undefined : await findPasswordHash(ctx.db, ctx.orgId, actor.id);
  const isKnown = stored !== undefined && (await passwordMatches(given, stored));
  const at = ctx.clock.real();
  try {
    const answer = await change(ctx, async (tx) => {
      // Thrown, not answered: what is answered is kept for a repeated key, and has to be an answer.
      if (!(needsCode ? await useTotp(tx, ctx, actor.id, given) : isKnown)) throw wrong;
      await sessions.markProved(tx, ctx.orgId, sessionId, at);
      recordEvent(tx, ctx, { type: "session.proved", objectId: actor.id });
      await ctx.signals.publish(tx, "user", actor.id);
      return { provedAt: at.toISOString() };
    });
    await attempt.succeeded();
    return answer;
  } catch (error) {
    throw error === wrong ? await attempt.failed(wrong) : error;
  }
}
