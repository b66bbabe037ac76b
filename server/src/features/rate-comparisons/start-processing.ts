import { badField, HubError } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import { recordEvent } from "../../events/record-event.ts";
import { today } from "../organizations/organizations.ts";
import type { PinnedContract } from "./pin-cards.ts";
import { pinContract, stampContracts } from "./pin-cards.ts";
import { presentComparison } from "./present-comparison.ts";
import type { Comparison, RatingOptions } from "./rate-comparisons.schemas.ts";
import type { ComparisonRow } from "./rate-comparisons.store.ts";
import * as store from "./rate-comparisons.store.ts";
import { pinTargets } from "./rate-targets.store.ts";

/** Queues the comparison for a worker, with the rate cards as they are now. */
export async function startProcessing(ctx: Ctx, id: string, given: RatingOptions): Promise<Comparison> {
  const former = await store.getComparison(ctx.db, ctx.orgId, id);
  refuseToStart(former);
  const options = { ...former.options, ...given };
  const rateDay = options.rateDate ?? (await today(ctx));
  // Each parcel is rated with the card of its ship date, unless `rateDate` is set.
  const shipDays = options.rateDate === undefined ? await store.listShipDays(ctx.db, ctx.orgId, id) : [];
  const days = { rateDay, shipDays };
  const chosen = former.targets ?? [{ carrierAccountId: former.carrier_account_id, rateCardId: null }];
  const contracts: PinnedContract[] = [];
  for (const { carrierAccountId, rateCardId } of chosen)
    contracts.push(await pinContract(ctx, carrierAccountId, rateCardId, days));
  refuseOtherCurrencies(contracts);
  const [first, ...others] = contracts;
  const source =
    former.source_account_id === null ? undefined : await pinContract(ctx, former.source_account_id, null, days);
  const cardStamps = await stampContracts(ctx, [...contracts, ...(source ? [source] : [])], days);
  return await change(ctx, async (tx) => {
    refuseToStart(await store.getComparison(tx, ctx.orgId, id, "for update"));
    const card = first!;
    const started = await store.startRevision(tx, ctx.orgId, id, {
      options,
      card,
      sourceCard: source?.card ?? null,
      datedCards: datedCardsOf(card, source),
      cardStamps,
      day: rateDay,
      requestId: ctx.requestId,
      at: ctx.clock.now(),
    });
    await pinTargets(tx, id, others.map(toTargetRow));
    const { revision, version } = started;
    const data = { revision, rateCardId: card.id, rateCardVersion: card.version, options, version };
    recordEvent(tx, ctx, { type: "rate_comparison.processing_started", objectId: id, data });
    await ctx.signals.publish(tx, "rate_comparison", id);
    return presentComparison(started, false);
  });
}

function datedCardsOf({ dated: target }: PinnedContract, source: PinnedContract | undefined) {
  const paid = source?.dated ?? { cards: [], days: {} };
  return target.cards.length + paid.cards.length === 0 ? null : { target, source: paid };
}

function toTargetRow({ id, version, name, card, dated }: PinnedContract, index: number) {
  return {
    number: index + 2,
    card,
    dated_cards: dated.cards.length === 0 ? null : dated,
    rate_card_id: id,
    rate_card_version: version,
    rate_card_name: name,
  };
}

/** Prices in different currencies cannot be set side by side. */
function refuseOtherCurrencies(contracts: PinnedContract[]): void {
  const currencyOf = ({ card }: PinnedContract): string => card.currency ?? "USD";
  const other = contracts.findIndex((contract) => currencyOf(contract) !== currencyOf(contracts[0]!));
  if (other === -1) return;
  const message = `Target ${other + 1} has prices in ${currencyOf(contracts[other]!)}, target 1 in ${currencyOf(contracts[0]!)}.`;
  throw new HubError("invalid_state", `${message} All targets of a comparison need the same currency.`);
}

function refuseToStart(row: ComparisonRow): void {
  if (row.status === "queued" || row.status === "processing") {
    throw new HubError("already_processing", `${row.processed} of ${row.item_count} items are processed.`);
  }
  if (row.item_count === 0) throw badField("/items", "no_items", "The comparison has no items to process.");
}
