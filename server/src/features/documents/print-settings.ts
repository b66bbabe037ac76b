import { badField } from "../../core/errors.ts";
import type { IfMatch } from "../../core/versions.ts";
import { checkVersion, requirePatch } from "../../core/versions.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import { recordEvent } from "../../events/record-event.ts";
import { readLogo } from "./logo-image.ts";
import type { PrintSettings, PrintSettingsPatch } from "./print-settings.schemas.ts";
import { maxLogoBytes } from "./print-settings.schemas.ts";
import * as store from "./print-settings.store.ts";

const none: PrintSettings = { address: "", footer: "", papers: {}, logo: null, updatedAt: null, version: 0 };

export async function getPrintSettings(ctx: Ctx): Promise<PrintSettings> {
  return (await store.findSettings(ctx.db, ctx.orgId)) ?? none;
}

export async function updatePrintSettings(
  ctx: Ctx,
  { logo, ...patch }: PrintSettingsPatch,
  ifMatch: IfMatch,
): Promise<PrintSettings> {
  requirePatch({ ...patch, ...(logo !== undefined && { logo }) });
  const image = logo === undefined ? undefined : logo && { content: logo.content, ...checkLogo(logo.content) };
  return await change(ctx, async (tx) => {
    const before = (await store.lockSettings(tx, ctx.orgId)) ?? none;
    checkVersion(before, ifMatch);
    const after: PrintSettings = {
      ...before,
      ...patch,
      logo: image === undefined ? before.logo : image,
      updatedAt: ctx.clock.now().toISOString(),
      version: before.version + 1,
    };
    await store.putSettings(tx, ctx.orgId, after);
    const fields = [...Object.keys(patch), ...(logo === undefined ? [] : ["logo"])];
    recordEvent(tx, ctx, {
      type: "organization.print_settings_updated",
      objectId: ctx.orgId,
      data: { fields, version: after.version },
    });
    return after;
  });
}

function checkLogo(base64: string) {
  const content = Buffer.from(base64, "base64");
  if (content.length > maxLogoBytes) {
    const message = `The logo has ${content.length} bytes; the maximum is ${maxLogoBytes}.`;
    throw badField("/logo/content", "too_large", message);
  }
  const found = readLogo(content);
  if (typeof found === "string") throw badField("/logo/content", "invalid_image", `The logo ${found}`);
  return found;
}
