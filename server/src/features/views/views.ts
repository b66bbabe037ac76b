import { callerKey } from "../../core/actor.ts";
import { badField, HubError } from "../../core/errors.ts";
import { maskSearchWords, maySeePersonalData } from "../../core/mask-person.ts";
import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import { notFound } from "../../core/resources.ts";
import { hasScope } from "../../core/scopes.ts";
import type { IfMatch } from "../../core/versions.ts";
import { checkVersion, nextVersion, requirePatch } from "../../core/versions.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { refuseDuplicate } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import type { View, ViewPatch, ViewQuery, ViewRequest } from "./views.schemas.ts";
import { maxViewBytes } from "./views.schemas.ts";
import type { StoredView } from "./views.store.ts";
import { countOwn, listVisible, views } from "./views.store.ts";

const maxViewsPerOwner = 100;

export async function listViews(ctx: Ctx, query: ViewQuery): Promise<Page<View>> {
  const page = await listVisible(ctx.db, ctx.orgId, callerKey(ctx.actor), query);
  return mapPage(page, (view) => present(ctx, view));
}

export async function getView(ctx: Ctx, id: string): Promise<View> {
  return present(ctx, requireVisible(ctx, await views.get(ctx.db, ctx.orgId, id)));
}

export async function createView(ctx: Ctx, request: ViewRequest): Promise<View> {
  const { list, name, settings, isShared = false } = request;
  requireSmallSettings(settings);
  return await change(ctx, async (tx) => {
    const owner = callerKey(ctx.actor);
    if ((await countOwn(tx, ctx.orgId, owner)) >= maxViewsPerOwner) {
      throw new HubError("invalid_state", `You have ${maxViewsPerOwner} views, the maximum. Delete one first.`);
    }
    const at = ctx.clock.now().toISOString();
    const view = { id: ctx.newId(), owner, list, name, settings, isShared, createdAt: at, updatedAt: at, version: 1 };
    await save(tx, ctx, view, "created");
    return present(ctx, view);
  });
}

export async function updateView(ctx: Ctx, id: string, patch: ViewPatch, ifMatch: IfMatch): Promise<View> {
  requirePatch(patch);
  if (patch.settings) requireSmallSettings(patch.settings);
  return await change(ctx, async (tx) => {
    const current = requireEditable(ctx, await views.lock(tx, ctx.orgId, id));
    checkVersion(current, ifMatch);
    const next = nextVersion(current, patch, ctx.clock.now());
    await save(tx, ctx, next, "updated");
    return present(ctx, next);
  });
}

export async function deleteView(ctx: Ctx, id: string, ifMatch: IfMatch) {
  return await change(ctx, async (tx) => {
    const view = requireEditable(ctx, await views.lock(tx, ctx.orgId, id));
    checkVersion(view, ifMatch);
    await views.remove(tx, ctx.orgId, id);
    const { name, list, version } = view;
    recordEvent(tx, ctx, { type: "view.deleted", objectId: id, data: { name, list, version } });
    return { id, deleted: true as const };
  });
}

/** Search terms may contain personal data: those of other users are masked. */
function present(ctx: Ctx, view: StoredView): View {
  const isOwn = view.owner === callerKey(ctx.actor);
  const isShown = isOwn || maySeePersonalData(ctx);
  const settings = isShown ? view.settings : (maskSearchWords(view.settings) as View["settings"]);
  return { ...view, settings, isOwn };
}

/** Private views of other callers are 404. */
function requireVisible(ctx: Ctx, view: StoredView): StoredView {
  if (view.isShared || view.owner === callerKey(ctx.actor)) return view;
  throw notFound("view");
}

/** Shared views can be changed by their creator and by administrators, since the creator may have left. */
function requireEditable(ctx: Ctx, view: StoredView): StoredView {
  requireVisible(ctx, view);
  if (view.owner === callerKey(ctx.actor) || hasScope(ctx.principal.scopes, "admin")) return view;
  throw new HubError(
    "admin_required",
    "Only its creator or an administrator can change this view. Save a copy instead.",
  );
}

function requireSmallSettings(settings: object): void {
  const bytes = Buffer.byteLength(JSON.stringify(settings));
  if (bytes <= maxViewBytes) return;
  throw badField("/settings", "too_large", `The settings have ${bytes} bytes; the maximum is ${maxViewBytes}.`);
}

async function save(tx: Tx, ctx: Ctx, view: StoredView, what: "created" | "updated"): Promise<void> {
  const { id, name, list, version } = view;
  const write = what === "created" ? views.insert : views.update;
  const taken = () => new HubError("name_taken", "Another view of this list has this name.");
  const own = refuseDuplicate(write(tx, ctx.orgId, view), "saved_views_own_name_key", taken);
  await refuseDuplicate(own, "saved_views_name_key", taken);
  recordEvent(tx, ctx, { type: `view.${what}`, objectId: id, data: { name, list, version } });
}
