import type { FieldError } from "../../core/errors.ts";
import { HubError } from "../../core/errors.ts";
import { maySeePersonalData } from "../../core/mask-person.ts";
import { hasScope } from "../../core/scopes.ts";
import { yieldToEventLoop } from "../../core/yield-to-event-loop.ts";
import type { Ctx } from "../../context.ts";
import { Streamed } from "../../route.ts";
import type { Order } from "../orders/order.ts";
import { readOrders } from "../orders/orders.ts";
import { getOrganization } from "../organizations/organizations.ts";
import type { ChosenOrder } from "./choose-documents.ts";
import { chooseOrders, chooseShipments, requireOneSource } from "./choose-documents.ts";
import type { DocumentKind, DocumentRequest } from "./documents.schemas.ts";
import * as store from "./documents.store.ts";
import type { Letterhead } from "./packing-slip.ts";
import { drawPackingSlip, textsOf } from "./packing-slip.ts";
import type { PaperLayout } from "./paper-sizes.ts";
import { paperLayouts } from "./paper-sizes.ts";
import type { Sheets } from "./pdf/sheets.ts";
import { addToPickList, drawPickList, newPickList } from "./pick-list.ts";
import type { PrintSettings } from "./print-settings.schemas.ts";
import { getPrintSettings } from "./print-settings.ts";
import { drawManifest } from "./shipment-manifest.ts";
import { sortOrders } from "./sort-orders.ts";

export { getPrintSettings, updatePrintSettings } from "./print-settings.ts";

const fileNames: Record<DocumentKind, string> = {
  packing_slips: "packing-slips.pdf",
  pick_list: "pick-list.pdf",
  manifest: "manifest.pdf",
};
/** Orders in memory at a time. */
const ordersAtOnce = 100;

type Drawing = { sheets: Sheets; paper: PaperLayout; title: string; printedAt: string };

/** One PDF file. It is made from the records as they are now and not stored. */
export async function createDocument(ctx: Ctx, request: DocumentRequest): Promise<Streamed> {
  const { kind } = request;
  requireOneSource(request);
  requireScopes(ctx, kind);
  const [settings, organization] = await Promise.all([getPrintSettings(ctx), getOrganization(ctx, ctx.orgId)]);
  const paper = paperLayouts[request.paper ?? settings.papers[kind] ?? "a4"];
  const { name: title, timezone } = organization;
  const printedAt = ctx.clock
    .now()
    .toLocaleString("en-GB", { timeZone: timezone, dateStyle: "medium", timeStyle: "short" });
  const begin = async (): Promise<Drawing> => {
    // Loaded on demand: the libraries have hundreds of modules, and only worker processes use them.
    const { startSheets } = await import("./pdf/sheets.ts");
    return { sheets: await startSheets(paper), paper, title, printedAt };
  };
  const { drawing, skipped } =
    kind === "manifest" ? await makeManifest(ctx, request, begin) : await makeOfOrders(ctx, request, begin, settings);
  const file = await drawing.sheets.finish();
  return new Streamed("application/pdf", fileNames[kind], each(file), { "hub-documents-skipped": String(skipped) });
}

type Made = { drawing: Drawing; skipped: number };

async function makeManifest(ctx: Ctx, request: DocumentRequest, begin: () => Promise<Drawing>): Promise<Made> {
  const { chosen, missing } = await chooseShipments(ctx, request);
  refuse(missing, chosen.length, request);
  const drawing = await begin();
  await drawing.sheets.prepare(JSON.stringify(chosen), drawing.title, alwaysNeeded);
  drawManifest(drawing, chosen);
  return { drawing, skipped: missing.length };
}

async function makeOfOrders(
  ctx: Ctx,
  request: DocumentRequest,
  begin: () => Promise<Drawing>,
  settings: PrintSettings,
): Promise<Made> {
  const { chosen, missing } = await chooseOrders(ctx, request);
  refuse(missing, chosen.length, request);
  const drawing = await begin();
  if (request.kind === "pick_list") await makePickList(ctx, drawing, chosen);
  else await makeSlips(ctx, drawing, await sortOrders(ctx, chosen, request.sort), settings);
  return { drawing, skipped: missing.length };
}

/** Signs that the hub itself adds. */
const alwaysNeeded = "…–·×\uFFFD";

function requireScopes(ctx: Ctx, kind: DocumentKind): void {
  const granted = [...ctx.principal.scopes];
  if (kind === "packing_slips" && !maySeePersonalData(ctx)) {
    const message = "Packing slips show the recipient and require the scope pii:read.";
    throw new HubError("insufficient_scope", message, { extra: { required: ["pii:read"], granted } });
  }
  if (kind === "manifest" && !hasScope(ctx.principal.scopes, "shipments:read")) {
    const message = "Manifests list shipments and require the scope shipments:read.";
    throw new HubError("insufficient_scope", message, { extra: { required: ["shipments:read"], granted } });
  }
}

function refuse(missing: FieldError[], count: number, { skipUnavailable = false }: DocumentRequest): void {
  if (missing.length > 0 && !skipUnavailable) {
    const rest = missing.length === 1 ? "" : ` There are ${missing.length - 1} more.`;
    throw new HubError("documents_not_printable", `${missing[0]!.message}${rest}`, { errors: missing });
  }
  if (count === 0) throw new HubError("nothing_to_print", undefined, { errors: missing });
}

/** The orders one after the other, read in batches. An order that was deleted meanwhile is left out. */
async function* eachOrder(ctx: Ctx, chosen: readonly ChosenOrder[]): AsyncGenerator<ChosenOrder & { order: Order }> {
  for (let from = 0; from < chosen.length; from += ordersAtOnce) {
    const batch = chosen.slice(from, from + ordersAtOnce);
    const ids = [...new Set(batch.map(({ orderId }) => orderId))];
    const found = new Map((await readOrders(ctx.db, ctx.orgId, ids)).map((order) => [order.id, order]));
    for (const one of batch) {
      const order = found.get(one.orderId);
      if (order) yield { ...one, order };
      await yieldToEventLoop();
    }
  }
}

async function makeSlips(
  ctx: Ctx,
  drawing: Drawing,
  chosen: readonly ChosenOrder[],
  settings: PrintSettings,
): Promise<void> {
  const { sheets, title } = drawing;
  const { address, footer } = settings;
  const letterhead: Letterhead = { name: title, address, footer, logo: await embedLogo(sheets, settings) };
  await sheets.prepare(title, address, footer, alwaysNeeded);
  for await (const { order, shipmentId } of eachOrder(ctx, chosen)) {
    await sheets.prepare(textsOf(order));
    drawPackingSlip({ ...drawing, letterhead }, { order, ...(shipmentId !== undefined && { shipmentId }) });
  }
}

async function makePickList(ctx: Ctx, drawing: Drawing, chosen: readonly ChosenOrder[]): Promise<void> {
  const list = newPickList();
  const names = await store.readLocationNames(ctx.db, ctx.orgId);
  await drawing.sheets.prepare(drawing.title, alwaysNeeded, ...names.values());
  const unique = [...new Map(chosen.map((one) => [one.orderId, one])).values()];
  for await (const { order } of eachOrder(ctx, unique)) {
    await drawing.sheets.prepare(order.number, JSON.stringify(order.lines));
    addToPickList(list, order, names);
  }
  if (list.items.size === 0) throw new HubError("nothing_to_print", "Nothing is left to ship of these orders.");
  drawPickList(drawing, list);
}

/** A logo that the library cannot read is left out; the slips are still needed. */
async function embedLogo(sheets: Sheets, { logo }: PrintSettings): Promise<Letterhead["logo"]> {
  if (!logo) return undefined;
  try {
    return await sheets.embedImage(logo.contentType, Buffer.from(logo.content, "base64"));
  } catch {
    return undefined;
  }
}

async function* each(file: Uint8Array): AsyncGenerator<Uint8Array> {
  yield file;
}
