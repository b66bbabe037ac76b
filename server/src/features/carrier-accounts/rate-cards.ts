import type { Warning } from "../../core/csv/csv-columns.ts";
import type { PlacedError } from "../../core/csv/csv-table.ts";
import { servicesFromCsv } from "../../carriers/rate-card/card-csv.ts";
import type { RateCard } from "../../carriers/rate-card/card.schemas.ts";
import { fuelFromCsv } from "../../carriers/rate-card/fuel-csv.ts";
import { termsFromCsv } from "../../carriers/rate-card/terms-csv.ts";
import { checkCard } from "../../carriers/rate-card/check-card.ts";
import { missingSets, setsOfCard } from "../../carriers/rate-card/compile-card.ts";
import { chartFromCsv } from "../../carriers/zones/chart-csv.ts";
import type { ChartRow } from "../../carriers/zones/zone-chart.ts";
import { checkChart } from "../../carriers/zones/zone-chart.ts";
import type { FieldError } from "../../core/errors.ts";
import { badField, HubError, validationFailed } from "../../core/errors.ts";
import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import { orNotFound } from "../../core/resources.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import { loadSetLookup, recordConditionSetUses } from "../condition-sets/condition-sets.ts";
import type {
  ActivateRequest,
  CarrierAccount,
  RateCardDetail,
  RateCardInfo,
  RateCardQuery,
  RateCardUpload,
  UploadedRateCard,
  ZoneChartInfo,
  ZoneChartQuery,
  ZoneChartUpload,
} from "./carrier-accounts.schemas.ts";
import { getAccount, lock } from "./carrier-accounts.ts";
import type { CardRow, StoredCard } from "./rate-cards.store.ts";
import * as store from "./rate-cards.store.ts";

export async function listRateCards(ctx: Ctx, accountId: string, query: RateCardQuery): Promise<Page<RateCardInfo>> {
  const account = await getAccount(ctx.db, ctx, accountId);
  const page = await store.listCards(ctx.db, ctx.orgId, accountId, query);
  return mapPage(page, (card) => present(card, account));
}

export async function getRateCard(ctx: Ctx, accountId: string, cardId: string): Promise<RateCardDetail> {
  const account = await getAccount(ctx.db, ctx, accountId);
  return present(await findCard(ctx.db, ctx, accountId, cardId), account);
}

/** Adds a version. Earlier versions stay and apply on days without a later one in effect. */
export async function uploadRateCard(ctx: Ctx, accountId: string, upload: RateCardUpload): Promise<UploadedRateCard> {
  await getAccount(ctx.db, ctx, accountId);
  const { card, warnings } = await readUpload(upload);
  const sets = await loadSetLookup(ctx, setsOfCard(card));
  const missing = missingSets(card, sets, upload.card ? "/card" : "/header");
  if (missing.length > 0) throw validationFailed(missing);
  return await change(ctx, async (tx) => {
    await lock(tx, ctx, accountId);
    const { isActive = true } = upload;
    const same = await store.findSameCard(tx, ctx.orgId, accountId, card);
    const made = { id: ctx.newId(), accountId, card, isActive, by: ctx.actor, at: ctx.clock.now() };
    const row = await store.insertCard(tx, ctx.orgId, made);
    const account = await getAccount(tx, ctx, accountId);
    const use = { type: "rate_card", id: row.id, name: `${account.name}: ${card.name}` };
    await recordConditionSetUses(tx, ctx, use, setsOfCard(card));
    record(tx, ctx, "carrier_account.rate_card_uploaded", accountId, row);
    return { ...present({ ...row, card }, account), warnings: same ? [...warnings, sameWarning(same)] : warnings };
  });
}

function sameWarning({ version, name }: CardRow): Warning {
  const message = `Upload ${version} has the same name (${name}) and period. The new card is used in its place.`;
  return { column: "", code: "same_name_and_period", message };
}

function toFieldError({ pointer, code, message }: PlacedError): FieldError {
  return { pointer, code, message };
}

async function readUpload(upload: RateCardUpload): Promise<{ card: RateCard; warnings: Warning[] }> {
  if ((upload.card === undefined) === (upload.csv === undefined)) {
    throw badField("", "one_of", "Send either `card`, or `csv` with `header`.");
  }
  if (upload.card) {
    if (upload.mapping) throw badField("/mapping", "unused", "`mapping` can only be sent with `csv`.");
    if (upload.header) throw badField("/header", "unused", "`header` can only be sent with `csv`.");
    const card = await readTerms(upload, { ...upload.card, ...(await readFuel(upload, upload.card)) });
    const errors = checkCard(card, "/card");
    if (errors.length > 0) throw validationFailed(errors);
    return { card, warnings: [] };
  }
  if (!upload.header)
    throw badField("/header", "required", "`csv` requires a `header` with name, effectiveFrom and zoneScheme.");
  const read = await servicesFromCsv(upload.csv!, upload.header, upload.mapping);
  if ("errors" in read) throw validationFailed(read.errors.map(toFieldError));
  const services = read.services as RateCard["services"];
  const card = await readTerms(upload, { ...upload.header, ...(await readFuel(upload, upload.header)), services });
  const errors = checkCard(card, "/header");
  if (errors.length > 0) throw validationFailed(errors);
  return { card, warnings: read.warnings };
}

async function readTerms({ termsCsv }: RateCardUpload, card: RateCard): Promise<RateCard> {
  if (termsCsv === undefined) return card;
  const read = await termsFromCsv(termsCsv, card);
  if ("errors" in read) throw validationFailed(read.errors);
  return { ...card, ...read };
}

async function readFuel({ fuelCsv }: RateCardUpload, card: Parameters<typeof fuelFromCsv>[1]) {
  if (fuelCsv === undefined) return {};
  const read = await fuelFromCsv(fuelCsv, card);
  if ("errors" in read) throw validationFailed(read.errors);
  return read;
}

/** Activates a card, with other dates if given. */
export async function activateRateCard(
  ctx: Ctx,
  accountId: string,
  cardId: string,
  { effectiveFrom, effectiveTo }: ActivateRequest,
): Promise<RateCardDetail> {
  return await changeCard(ctx, accountId, cardId, "carrier_account.rate_card_activated", (row) => {
    const from = effectiveFrom ?? row.effectiveFrom;
    const to = effectiveTo === undefined ? row.effectiveTo : effectiveTo;
    if (to !== null && to < from) {
      throw badField("/effectiveTo", "ends_before_start", `effectiveTo (${to}) is before effectiveFrom (${from}).`);
    }
    const { effectiveTo: _former, ...card } = row.card;
    const dates = { effectiveFrom: from, ...(to === null ? {} : { effectiveTo: to }) };
    return { ...row, isActive: true, effectiveFrom: from, effectiveTo: to, card: { ...card, ...dates } };
  });
}

/** Deactivates a card; the previous card applies again. */
export async function deactivateRateCard(ctx: Ctx, accountId: string, cardId: string): Promise<RateCardDetail> {
  return await changeCard(ctx, accountId, cardId, "carrier_account.rate_card_deactivated", (row) => ({
    ...row,
    isActive: false,
  }));
}

async function changeCard(
  ctx: Ctx,
  accountId: string,
  cardId: string,
  what: CardEvent,
  apply: (row: StoredCard) => StoredCard,
): Promise<RateCardDetail> {
  return await change(ctx, async (tx) => {
    await lock(tx, ctx, accountId);
    const row = apply(await findCard(tx, ctx, accountId, cardId));
    await store.updateCard(tx, ctx.orgId, row, ctx.clock.now());
    record(tx, ctx, what, accountId, row);
    return present(row, await getAccount(tx, ctx, accountId));
  });
}

export async function replaceZoneChart(ctx: Ctx, accountId: string, upload: ZoneChartUpload): Promise<ZoneChartInfo> {
  await getAccount(ctx.db, ctx, accountId);
  const rows = await readChart(upload);
  return await change(ctx, async (tx) => {
    await lock(tx, ctx, accountId);
    const name = upload.name ?? "Zone chart";
    const chart = await store.saveChart(tx, ctx.orgId, accountId, { name, rows, at: ctx.clock.now() });
    const data = { name, rowCount: rows.length, version: chart.version };
    recordEvent(tx, ctx, { type: "carrier_account.zone_chart_uploaded", objectId: accountId, data });
    return chart;
  });
}

export async function listZoneChart(ctx: Ctx, accountId: string, query: ZoneChartQuery): Promise<Page<ChartRow>> {
  await getAccount(ctx.db, ctx, accountId);
  const page = await store.listChartRows(ctx.db, ctx.orgId, accountId, query);
  if (!page) throw new HubError("zone_chart_not_found", "The account has no zone chart.");
  return page;
}

async function readChart({ rows, csv, origin }: ZoneChartUpload): Promise<ChartRow[]> {
  if ((rows === undefined) === (csv === undefined)) throw badField("", "one_of", "Send either `rows` or `csv`.");
  if (rows) {
    const errors = checkChart(rows, "/rows");
    if (errors.length > 0) throw validationFailed(errors);
    return rows;
  }
  const read = await chartFromCsv(csv!, origin);
  if ("errors" in read) throw validationFailed(read.errors.map(toFieldError));
  if (read.rows.length === 0) throw badField("/csv", "empty", "The file has no rows below the header.");
  return read.rows;
}

/** Zones are then computed from the distance. */
export async function deleteZoneChart(ctx: Ctx, accountId: string) {
  return await change(ctx, async (tx) => {
    await lock(tx, ctx, accountId);
    const isDeleted = await store.deleteChart(tx, ctx.orgId, accountId);
    if (!isDeleted) throw new HubError("zone_chart_not_found", "The account has no zone chart.");
    recordEvent(tx, ctx, { type: "carrier_account.zone_chart_deleted", objectId: accountId });
    return { id: accountId, deleted: true as const };
  });
}

async function findCard(db: Queryable, ctx: Ctx, accountId: string, cardId: string): Promise<StoredCard> {
  return orNotFound("rate_card", await store.findCard(db, ctx.orgId, accountId, cardId));
}

function present<Row extends CardRow>(row: Row, { rateCard }: CarrierAccount) {
  return { ...row, isInEffect: row.id === rateCard?.id, createdAt: row.createdAt.toISOString() };
}

type CardEvent = `carrier_account.rate_card_${"uploaded" | "activated" | "deactivated"}`;

function record(tx: Tx, ctx: Ctx, type: CardEvent, accountId: string, row: CardRow): void {
  const { id: rateCardId, version, name, effectiveFrom, effectiveTo, isActive } = row;
  const data = { rateCardId, version, name, effectiveFrom, effectiveTo, isActive };
  recordEvent(tx, ctx, { type, objectId: accountId, data });
}
