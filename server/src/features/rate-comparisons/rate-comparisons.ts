import { badField } from "../../core/errors.ts";
import type { Page } from "../../core/page.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Live } from "../../route.ts";
import { watchRecord } from "../../watch.ts";
import type { Tx } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import type { SeededAccount } from "../carrier-accounts/carrier-accounts.ts";
import { findCardIdsOn, readStampsAgain } from "../carrier-accounts/tariff-inputs.ts";
import { today } from "../organizations/organizations.ts";
import type { Contracts } from "./choose-contracts.ts";
import { checkContracts } from "./choose-contracts.ts";
import { itemSource } from "./invoice-items.ts";
import { gatherParcels } from "./gather-parcels.ts";
import { presentComparison, presentItem } from "./present-comparison.ts";
import { presentSummary } from "./present-summary.ts";
import type {
  Comparison,
  ComparisonHeader,
  ComparisonQuery,
  ComparisonRequest,
  SummaryQuery,
} from "./rate-comparisons.schemas.ts";
import type { Item, ItemQuery, ItemRequest } from "./rate-items.schemas.ts";
import type { ComparisonRow, NewComparison } from "./rate-comparisons.store.ts";
import * as store from "./rate-comparisons.store.ts";
import * as items from "./rate-items.store.ts";
import type { Shown } from "./rate-item-list.store.ts";
import * as lists from "./rate-item-list.store.ts";
import * as results from "./rate-results.store.ts";
import { listSummaries } from "./rate-targets.store.ts";
import type { Summary } from "./summary.schemas.ts";
import { summariseScenario } from "./summarise-scenario.ts";
import { emptyTotals } from "./tally.ts";

export { comparisonWork } from "./execute-comparison.ts";

export async function listComparisons(ctx: Ctx, query: ComparisonQuery): Promise<Page<Comparison>> {
  const page = await store.listComparisons(ctx.db, ctx.orgId, query);
  const stale = await areStale(ctx, page.data);
  return { ...page, data: page.data.map((row, index) => presentComparison(row, stale[index]!)) };
}

export async function getComparison(ctx: Ctx, id: string): Promise<Comparison> {
  const row = await store.getComparison(ctx.db, ctx.orgId, id);
  return presentComparison(row, await isStale(ctx, row));
}

export async function watchComparison(ctx: Ctx, id: string): Promise<Live> {
  // A draft has not started, so it has not ended either.
  const hasEnded = ({ status }: Comparison): boolean => !["draft", "queued", "processing"].includes(status);
  return await watchRecord(ctx, { id, read: () => getComparison(ctx, id), hasEnded });
}

async function isStale(ctx: Ctx, row: ComparisonRow): Promise<boolean> {
  const [stale] = await areStale(ctx, [row]);
  return stale!;
}

/** Whether another rate card is in effect now, or another input of the prices has changed, for each comparison. */
async function areStale(ctx: Ctx, rows: ComparisonRow[]): Promise<boolean[]> {
  const finished = rows.filter((row) => row.rate_card_id !== null && row.finished_at !== null);
  const now = await today(ctx);
  const days = finished.map((row) => ({ accountId: row.carrier_account_id, day: row.options.rateDate ?? now }));
  const cards = await findCardIdsOn(ctx, days);
  const stampsNow = await readStampsAgain(ctx, new Set(finished.flatMap((row) => Object.keys(row.input_stamps ?? {}))));
  const isOther = ({ input_stamps: stamps }: ComparisonRow): boolean =>
    Object.entries(stamps ?? {}).some(([name, stamp]) => stampsNow[name] !== stamp);
  // A chosen card stays the same whichever is in effect.
  const isChosen = ({ targets }: ComparisonRow): boolean => typeof targets?.[0]?.rateCardId === "string";
  const hasOtherCard = (row: ComparisonRow, index: number): boolean =>
    !isChosen(row) && cards[index] !== row.rate_card_id;
  const stale = new Set(finished.filter((row, index) => hasOtherCard(row, index) || isOther(row)));
  return rows.map((row) => stale.has(row));
}

export async function createComparison(ctx: Ctx, request: ComparisonRequest): Promise<Comparison> {
  const { items: _items, invoiceIds: _ids, invoiceDates: _dates, ...header } = request;
  const contracts = await checkContracts(ctx, header);
  const batches = await itemSource(ctx, request);
  return await change(ctx, async (tx) => {
    const row = await insert(tx, ctx, header, contracts, batches());
    return presentComparison(row, false);
  });
}

export const insertSize = 5_000;

/** Inserts the comparison with its items, batch by batch while they arrive. */
export async function insert(
  tx: Tx,
  ctx: Ctx,
  header: ComparisonHeader,
  contracts: Contracts,
  batches: Batches,
): Promise<ComparisonRow> {
  const row = await insertWithItems(tx, ctx, { header, ...contracts, at: ctx.clock.now() }, batches);
  const data = {
    name: row.name,
    carrierAccountId: row.carrier_account_id,
    itemCount: row.item_count,
    version: row.version,
  };
  recordEvent(tx, ctx, { type: "rate_comparison.created", objectId: row.id, data });
  return row;
}

type Batches = Iterable<ItemRequest[]> | AsyncIterable<ItemRequest[]>;

async function insertWithItems(
  tx: Tx,
  ctx: Ctx,
  made: Pick<NewComparison, "header" | "account" | "targets" | "at">,
  batches: Batches,
): Promise<ComparisonRow> {
  const id = ctx.newId();
  await store.insertComparison(tx, ctx.orgId, { ...made, id, by: ctx.actor, requestId: ctx.requestId });
  let count = 0;
  const parcels = gatherParcels(items.printOf);
  for await (const batch of batches) {
    await items.insertItems(tx, id, count, parcels.number(batch));
    count += batch.length;
  }
  await items.saveParcels(tx, id, parcels.several());
  return await store.saveItemTotals(tx, ctx.orgId, id, { count, shipDays: parcels.shipDays() });
}

export async function deleteComparison(ctx: Ctx, id: string) {
  return await change(ctx, async (tx) => {
    const row = await store.getComparison(tx, ctx.orgId, id, "for update");
    await deleteWhole(tx, ctx.orgId, id);
    const data = { name: row.name, status: row.status, itemCount: row.item_count, version: row.version };
    recordEvent(tx, ctx, { type: "rate_comparison.deleted", objectId: id, data });
    return { id, deleted: true as const };
  });
}

/** One at a time, since a comparison can have 250,000 items. */
export async function deleteOldComparisonsAcrossOrgs(tx: Tx, before: Date): Promise<string[]> {
  const old = await store.lockOldComparisonAcrossOrgs(tx, before);
  if (!old) return [];
  await deleteWhole(tx, old.org_id, old.id);
  return [old.org_id];
}

async function deleteWhole(tx: Tx, orgId: string, id: string): Promise<void> {
  await items.deleteItems(tx, id);
  await results.deleteResults(tx, id);
  await store.deleteComparison(tx, orgId, id);
}

/** For the preview: a queued comparison with one of its contracts. Records no event. */
export async function seedComparison(
  tx: Tx,
  ctx: Ctx,
  account: SeededAccount,
  makeItems: (day: string) => ItemRequest[],
): Promise<void> {
  const at = ctx.clock.real();
  const day = at.toISOString().slice(0, 10);
  const name = "Last quarter against a national contract";
  const header = { name, carrierAccountId: account.id, sourceCarrier: "FedEx" };
  const { id } = await insertWithItems(tx, ctx, { header, account, targets: null, at }, [makeItems(day)]);
  const card = { id: account.cardId, version: 1, name: account.card.name, card: account.card };
  const start = {
    options: {},
    card,
    sourceCard: null,
    datedCards: null,
    cardStamps: {},
    day,
    requestId: ctx.requestId,
    at,
  };
  await store.startRevision(tx, ctx.orgId, id, start);
  await ctx.signals.publish(tx, "rate_comparison", id);
}

export async function listItems(ctx: Ctx, id: string, query: ItemQuery): Promise<Page<Item>> {
  for (;;) {
    const shown = await getShown(ctx, id);
    const page = await lists.listItems(ctx.db, shown, query);
    if (page) return { ...page, data: page.data.map((row) => presentItem(row, shown.sumsCharges)) };
  }
}

/** The stored summary of a target, or one recomputed for a scenario from the same items and cards. */
export async function getSummary(ctx: Ctx, id: string, { target = 1, ...scenario }: SummaryQuery): Promise<Summary> {
  const row = await store.getComparison(ctx.db, ctx.orgId, id);
  refuseUnknownTarget(row, target);
  const stale = await isStale(ctx, row);
  if (Object.keys(scenario).length > 0) return await summariseScenario(ctx, row, scenario, stale, target);
  const kept = await findSummary(ctx, id, target);
  if (kept) return { ...kept, status: row.status, stale };
  return presentSummary(row, emptyTotals(), [], {
    computedAt: null,
    scenario: row.options.scenario ?? {},
    stale,
    trackingNumbers: new Map(),
  });
}

async function findSummary(ctx: Ctx, id: string, target: number): Promise<Summary | null | undefined> {
  if (target === 1) return await store.findSummary(ctx.db, ctx.orgId, id);
  const summaries = await listSummaries(ctx.db, id);
  return summaries[target - 2];
}

function refuseUnknownTarget({ targets }: ComparisonRow, target: number): void {
  const count = targets?.length ?? 1;
  if (target <= count) return;
  throw badField(
    "query/target",
    "out_of_range",
    `The comparison has ${count === 1 ? "one target" : `${count} targets`}.`,
  );
}

/** The revision whose results are shown: the last completed one, or the first one while it is processed. */
export async function getShown(ctx: Ctx, id: string): Promise<Shown> {
  const row = await store.getComparison(ctx.db, ctx.orgId, id);
  const revision = row.shown_revision ?? row.revision;
  return {
    id,
    revision,
    itemCount: row.item_count,
    done: revision === row.revision ? row.processed : row.item_count,
    isListed: row.listed_revision === revision,
    sumsCharges: (row.options.duplicates ?? "sum") === "sum",
  };
}
