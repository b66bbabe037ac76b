import { badField, HubError } from "../../core/errors.ts";
import type { IfMatch } from "../../core/versions.ts";
import { checkVersion } from "../../core/versions.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Preferences, PreferencesRequest } from "./preferences.schemas.ts";
import { maxPreferencesBytes } from "./preferences.schemas.ts";
import * as store from "./preferences.store.ts";

const none: Preferences = { preferences: {}, updatedAt: null, version: 0 };

export async function getPreferences(ctx: Ctx): Promise<Preferences> {
  return (await store.findPreferences(ctx.db, ctx.orgId, ownId(ctx))) ?? none;
}

/** Records no event: display preferences are private to the user. */
export async function replacePreferences(
  ctx: Ctx,
  { preferences }: PreferencesRequest,
  ifMatch: IfMatch,
): Promise<Preferences> {
  const userId = ownId(ctx);
  const bytes = Buffer.byteLength(JSON.stringify(preferences));
  if (bytes > maxPreferencesBytes) {
    const message = `The preferences have ${bytes} bytes; the maximum is ${maxPreferencesBytes}.`;
    throw badField("/preferences", "too_large", message);
  }
  return await change(ctx, async (tx) => {
    const before = (await store.lockPreferences(tx, ctx.orgId, userId)) ?? none;
    checkVersion(before, ifMatch);
    const after = { preferences, updatedAt: ctx.clock.real().toISOString(), version: before.version + 1 };
    await store.putPreferences(tx, ctx.orgId, userId, after);
    return after;
  });
}

function ownId({ actor }: Ctx): string {
  if (actor.type === "user") return actor.id;
  throw new HubError("invalid_state", "API keys have no preferences; sign in as a user.");
}
