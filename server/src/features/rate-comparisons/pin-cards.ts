import { findCarrier } from "../../carriers/installed-carriers.ts";
import type { RateCard } from "../../carriers/rate-card/card.schemas.ts";
import { HubError } from "../../core/errors.ts";
import { orNotFound } from "../../core/resources.ts";
import type { Ctx } from "../../context.ts";
import { getCarrierAccount } from "../carrier-accounts/carrier-accounts.ts";
import type { DatedCards, InputStamps } from "../carrier-accounts/tariff-inputs.ts";
import { findCardById, findCardOn, findDatedCards, readCardStamps } from "../carrier-accounts/tariff-inputs.ts";

type PinnedCard = { id: string | null; version: number | null; name: string; card: RateCard };

/** A contract with its cards as they are now. */
export type PinnedContract = PinnedCard & {
  accountId: string;
  /** The card was chosen, and applies whichever is in effect. */
  isChosen: boolean;
  dated: DatedCards;
};

/** `rateDay`: the day of items without a ship date, or of all items. */
type Days = { rateDay: string; shipDays: string[] };

const noDates: DatedCards = { cards: [], days: {} };

/** Pins the chosen card of an account, or the one in effect with those of the ship dates. */
export async function pinContract(
  ctx: Ctx,
  accountId: string,
  chosenCardId: string | null,
  { rateDay, shipDays }: Days,
): Promise<PinnedContract> {
  if (chosenCardId !== null) {
    const chosen = orNotFound("rate_card", await findCardById(ctx, accountId, chosenCardId));
    return { ...pinned(chosen), accountId, isChosen: true, dated: noDates };
  }
  const card = await cardOf(ctx, accountId, rateDay);
  return { ...pinned(card), accountId, isChosen: false, dated: await findDatedCards(ctx, accountId, card, shipDays) };
}

function pinned({ id, version, name, card }: PinnedCard): PinnedCard {
  return { id, version, name, card };
}

/** Stamps to detect cards that are later uploaded, activated or deactivated for one of these days. */
export async function stampContracts(
  ctx: Ctx,
  contracts: PinnedContract[],
  { rateDay, shipDays }: Days,
): Promise<InputStamps> {
  const sorted = shipDays.toSorted();
  const times = [
    { from: rateDay, to: rateDay },
    { from: sorted[0] ?? rateDay, to: sorted.at(-1) ?? rateDay },
  ];
  const dependent = contracts.filter(({ id, isChosen }) => id !== null && !isChosen);
  const spans = dependent.flatMap(({ accountId }) => times.map((time) => ({ accountId, ...time })));
  return await readCardStamps(ctx, spans);
}

async function cardOf(ctx: Ctx, accountId: string, day: string): Promise<PinnedCard> {
  const account = await getCarrierAccount(ctx, accountId);
  const own = findCarrier(account.carrier)?.ownCard?.();
  if (own) return { id: null, version: null, name: own.name, card: own };
  const card = await findCardOn(ctx, accountId, day);
  if (card) return card;
  const advice = "Upload one, or activate a draft.";
  throw new HubError("no_rate_card", `${account.name} has no rate card in effect on ${day}. ${advice}`);
}
