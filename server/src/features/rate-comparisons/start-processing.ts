import { findCarrier } from "../../carriers/installed-carriers.ts";
import type { RateCard } from "../../carriers/rate-card/card.schemas.ts";
import { badField, HubError } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import { recordEvent } from "../../events/record-event.ts";
import { getCarrierAccount } from "../carrier-accounts/carrier-accounts.ts";
import type { InputStamps } from "../carrier-accounts/tariff-inputs.ts";
import { findCardOn, findDatedCards, readCardStamps } from "../carrier-accounts/tariff-inputs.ts";
import { today } from "../organizations/organizations.ts";
import { presentComparison } from "./present-comparison.ts";
import type { Comparison, RatingOptions } from "./rate-comparisons.schemas.ts";
import type { ComparisonRow } from "./rate-comparisons.store.ts";
import * as store from "./rate-comparisons.store.ts";

/** Queues the comparison for a worker, with the rate cards as they are now. */
export async function startProcessing(ctx: Ctx, id: string, given: RatingOptions): Promise<Comparison> {
  const former = await store.getComparison(ctx.db, ctx.orgId, id);
  refuseToStart(former);
  const options = { ...former.options, ...given };
  const day = options.rateDate ?? (await today(ctx));
  const card = await cardOf(ctx, former.carrier_account_id, day);
  const source = former.source_account_id === null ? undefined : await cardOf(ctx, former.source_account_id, day);
  // Each parcel is rated with the card of its ship date, unless `rateDate` is set.
  const days = options.rateDate === undefined ? await store.listShipDays(ctx.db, ctx.orgId, id) : [];
  const cardStamps = await stampCards(ctx, former, [card, source], [day, ...days]);
  const datedCards = await datedCardsOf(ctx, former, card, source, days);
  return await change(ctx, async (tx) => {
    refuseToStart(await store.getComparison(tx, ctx.orgId, id, "for update"));
    const started = await store.startRevision(tx, ctx.orgId, id, {
      options,
      card,
      sourceCard: source?.card ?? null,
      datedCards,
      cardStamps,
      day,
      requestId: ctx.requestId,
      at: ctx.clock.now(),
    });
    const { revision, version } = started;
    const data = { revision, rateCardId: card.id, rateCardVersion: card.version, options, version };
    recordEvent(tx, ctx, { type: "rate_comparison.processing_started", objectId: id, data });
    await ctx.signals.publish(tx, "rate_comparison", id);
    return presentComparison(started, false);
  });
}

async function datedCardsOf(
  ctx: Ctx,
  row: ComparisonRow,
  card: PinnedCard,
  source: PinnedCard | undefined,
  days: string[],
) {
  const none = { cards: [], days: {} };
  const target = await findDatedCards(ctx, row.carrier_account_id, card, days);
  const paid = source ? await findDatedCards(ctx, row.source_account_id!, source, days) : none;
  return target.cards.length + paid.cards.length === 0 ? null : { target, source: paid };
}

/** Stamps to detect cards that are later uploaded, activated or deactivated for one of these days. */
async function stampCards(
  ctx: Ctx,
  row: ComparisonRow,
  [card, source]: [PinnedCard, PinnedCard | undefined],
  [day, ...shipDays]: [string, ...string[]],
): Promise<InputStamps> {
  const ofAccounts = [card.id && row.carrier_account_id, source?.id && row.source_account_id];
  const sorted = shipDays.toSorted();
  const times = [
    { from: day, to: day },
    { from: sorted[0] ?? day, to: sorted.at(-1) ?? day },
  ];
  const spans = ofAccounts.flatMap((accountId) => (accountId ? times.map((time) => ({ accountId, ...time })) : []));
  return await readCardStamps(ctx, spans);
}

function refuseToStart(row: ComparisonRow): void {
  if (row.status === "queued" || row.status === "processing") {
    throw new HubError("already_processing", `${row.processed} of ${row.item_count} items are processed.`);
  }
  if (row.item_count === 0) throw badField("/items", "no_items", "The comparison has no items to process.");
}

type PinnedCard = { id: string | null; version: number | null; name: string; card: RateCard };

async function cardOf(ctx: Ctx, accountId: string, day: string): Promise<PinnedCard> {
  const account = await getCarrierAccount(ctx, accountId);
  const own = findCarrier(account.carrier)?.ownCard?.();
  if (own) return { id: null, version: null, name: own.name, card: own };
  const card = await findCardOn(ctx, accountId, day);
  if (card) return card;
  const advice = "Upload one, or activate a draft.";
  throw new HubError("no_rate_card", `${account.name} has no rate card in effect on ${day}. ${advice}`);
}
