import { presetPlugins } from "../../connectors/csv/preset-plugins.ts";
import { orderPresets } from "../../connectors/csv/order-presets.ts";
import type { SheetOptions } from "../../core/csv/sheet.ts";
import { badField, HubError } from "../../core/errors.ts";
import { alternatives } from "../../core/nearest.ts";
import type { Page } from "../../core/page.ts";
import type { IfMatch } from "../../core/versions.ts";
import { checkVersion, nextVersion, requirePatch } from "../../core/versions.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Tx } from "../../db/database.ts";
import { refuseDuplicate } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import type { ImportPreset, PresetPatch, PresetQuery, PresetRequest } from "./import-presets.schemas.ts";
import { baseNames } from "./import-presets.schemas.ts";
import { findNamedPreset, presets } from "./import-presets.store.ts";

export async function listPresets(ctx: Ctx, query: PresetQuery): Promise<Page<ImportPreset>> {
  return await presets.list(ctx.db, ctx.orgId, query, [["t.kind = ?", query.kind]]);
}

export async function getPreset(ctx: Ctx, id: string): Promise<ImportPreset> {
  return await presets.get(ctx.db, ctx.orgId, id);
}

/** Presets of known programs. */
export function listBuiltIn() {
  const data = orderPresets.map(({ name, title, signatures, columns }) => ({
    name,
    title,
    plugin: presetPlugins.originOf(name),
    detectedBy: signatures.map((signature) => [...signature]),
    columns: Object.entries(columns).map(([column, field]) => ({ column, field })),
  }));
  return { data };
}

export async function createPreset(ctx: Ctx, request: PresetRequest): Promise<ImportPreset> {
  const { name, kind = "orders", settings } = request;
  refuseBuiltIn(name);
  refuseSettings(kind, settings);
  return await change(ctx, async (tx) => {
    const at = ctx.clock.now().toISOString();
    return await save(
      tx,
      ctx,
      { id: ctx.newId(), name, kind, settings, createdAt: at, updatedAt: at, version: 1 },
      "created",
    );
  });
}

export async function updatePreset(ctx: Ctx, id: string, patch: PresetPatch, ifMatch: IfMatch): Promise<ImportPreset> {
  requirePatch(patch);
  if (patch.name !== undefined) refuseBuiltIn(patch.name);
  return await change(ctx, async (tx) => {
    const current = await presets.lock(tx, ctx.orgId, id);
    checkVersion(current, ifMatch);
    refuseSettings(current.kind, patch.settings);
    return await save(tx, ctx, nextVersion(current, patch, ctx.clock.now()), "updated");
  });
}

export async function deletePreset(ctx: Ctx, id: string, ifMatch: IfMatch) {
  return await change(ctx, async (tx) => {
    const current = await presets.lock(tx, ctx.orgId, id);
    checkVersion(current, ifMatch);
    await presets.remove(tx, ctx.orgId, id);
    const { name, version } = current;
    recordEvent(tx, ctx, { type: "import_preset.deleted", objectId: id, data: { name, version } });
    return { id, deleted: true as const };
  });
}

/** The options of a preset, by name or ID. */
export async function findSheetOptions(ctx: Ctx, name = "auto"): Promise<SheetOptions> {
  if (baseNames.includes(name)) return { preset: builtIn(name) };
  const found = await findNamedPreset(ctx.db, ctx.orgId, "orders", name);
  if (!found) {
    const message = `The preset ${JSON.stringify(name)} does not exist.`;
    throw badField("/preset", "unknown_preset", message, alternatives(name, baseNames));
  }
  const { base = "auto", carrier: _carrier, ...settings } = found.settings;
  return { ...settings, preset: builtIn(base) };
}

/** The settings of a saved preset for invoices or comparisons, by name or ID. */
export async function findPresetSettings(
  ctx: Ctx,
  kind: "invoices" | "comparisons",
  name: string,
): Promise<Omit<ImportPreset["settings"], "base">> {
  const found = await findNamedPreset(ctx.db, ctx.orgId, kind, name);
  if (!found) throw badField("/preset", "unknown_preset", `There is no preset ${JSON.stringify(name)} for ${kind}.`);
  const { base: _base, ...settings } = found.settings;
  return settings;
}

/** Built-in presets are for files of orders; those of carriers are detected. */
function refuseSettings(kind: ImportPreset["kind"], settings: ImportPreset["settings"] | undefined): void {
  if (kind !== "orders" && settings?.base !== undefined)
    throw badField("/settings/base", "not_allowed", `A preset for ${kind} extends no built-in preset.`);
  if (kind !== "invoices" && settings?.carrier !== undefined)
    throw badField("/settings/carrier", "not_allowed", "Only presets for invoices have a carrier.");
}

function builtIn(name: string): SheetOptions["preset"] {
  return name === "none" ? null : orderPresets.find((preset) => preset.name === name);
}

function refuseBuiltIn(name: string): void {
  if (baseNames.includes(name.toLowerCase()))
    throw new HubError("name_taken", `${name} is the name of a built-in preset.`);
}

async function save(tx: Tx, ctx: Ctx, preset: ImportPreset, what: "created" | "updated"): Promise<ImportPreset> {
  const { id, name, version } = preset;
  const write = what === "created" ? presets.insert : presets.update;
  await refuseDuplicate(
    write(tx, ctx.orgId, preset),
    "import_presets_name_key",
    () => new HubError("name_taken", "Another preset has this name."),
  );
  recordEvent(tx, ctx, { type: `import_preset.${what}`, objectId: id, data: { name, version } });
  return preset;
}
