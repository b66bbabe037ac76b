import { createHash } from "node:crypto";
import { findCarrier } from "../../carriers/installed-carriers.ts";
import type { RateCard } from "../../carriers/rate-card/card.schemas.ts";
import { setsOfCard } from "../../carriers/rate-card/compile-card.ts";
import type { Scenario, Tariff } from "../../carriers/rate-card/tariff.ts";
import { createTariff } from "../../carriers/rate-card/tariff.ts";
import { compileChart } from "../../carriers/zones/zone-chart.ts";
import type { Ctx } from "../../context.ts";
import { findSets, loadSets } from "../condition-sets/condition-sets.ts";
import { findAliasDigests } from "./carrier-accounts.store.ts";
import * as store from "./rate-cards.store.ts";

/** The card in effect on a day, if any. */
export async function findCardOn(ctx: Ctx, accountId: string, day: string): Promise<store.StoredCard | undefined> {
  return await store.findCardOn(ctx.db, ctx.orgId, accountId, day);
}

/** A card of the account by its ID, in effect or not. */
export async function findCardById(ctx: Ctx, accountId: string, cardId: string): Promise<store.StoredCard | undefined> {
  return await store.findCard(ctx.db, ctx.orgId, accountId, cardId);
}

/** The IDs of the cards in effect for many accounts and days, in their order, in one query. */
export async function findCardIdsOn(ctx: Ctx, wanted: store.CardDay[]): Promise<(string | null)[]> {
  return wanted.length === 0 ? [] : await store.findCardIdsOn(ctx.db, ctx.orgId, wanted);
}

/** Cards that apply on other days than the comparison's; `days` maps each such day to an index in `cards`. */
export type DatedCards = { cards: RateCard[]; days: Record<string, number> };

/** The cards in effect on these days that differ from the usual one and have its currency. */
export async function findDatedCards(
  ctx: Ctx,
  accountId: string,
  usual: { id: string | null; card: RateCard },
  days: string[],
): Promise<DatedCards> {
  const dated: DatedCards = { cards: [], days: {} };
  if (usual.id === null || days.length === 0) return dated;
  const indexes = new Map<string, number | undefined>([[usual.id, undefined]]);
  for (const { day, id } of await store.findCardsOnDays(ctx.db, ctx.orgId, accountId, days)) {
    if (!indexes.has(id)) {
      const found = await store.findCard(ctx.db, ctx.orgId, accountId, id);
      const isAlike = found && (found.card.currency ?? "USD") === (usual.card.currency ?? "USD");
      indexes.set(id, isAlike ? dated.cards.push(found.card) - 1 : undefined);
    }
    const index = indexes.get(id);
    if (index !== undefined) dated.days[day] = index;
  }
  return dated;
}

/** The inputs of prices, each with a stamp that changes when the input changes. */
export type InputStamps = Record<string, string>;

/** Days from the first to the last on which parcels of one account were sent. */
type CardSpan = { accountId: string; from: string; to: string };

/**
 * For each span, which card is in effect from which day on. The stamp changes only if a parcel sent in the span would be
 * priced with another card.
 */
export async function readCardStamps(ctx: Pick<Ctx, "db" | "orgId">, spans: CardSpan[]): Promise<InputStamps> {
  if (spans.length === 0) return {};
  const accountIds = [...new Set(spans.map(({ accountId }) => accountId))];
  const periods = await store.listActivePeriods(ctx.db, ctx.orgId, accountIds);
  const byAccount = Map.groupBy(periods, ({ accountId }) => accountId);
  return Object.fromEntries(
    spans.map((span) => {
      const { accountId, from, to } = span;
      return [`cards ${accountId} ${from} ${to}`, describeCards(byAccount.get(accountId) ?? [], span)];
    }),
  );
}

function describeCards(periods: store.CardPeriod[], { from, to }: CardSpan): string {
  // The card in effect can only change where a period starts or has ended.
  const starts = periods.flatMap((period) => [period.from, period.to === null ? [] : dayAfter(period.to)].flat());
  const days = [...new Set([from, ...starts.filter((day) => day > from && day <= to)])].toSorted();
  const inEffect = days.map((day) => ({ day, id: cardOn(periods, day)?.id ?? "none" }));
  const changes = inEffect.filter(({ id }, i) => id !== inEffect[i - 1]?.id);
  return changes.map(({ day, id }) => `${day} ${id}`).join(", ");
}

function cardOn(periods: store.CardPeriod[], day: string): store.CardPeriod | undefined {
  return periods
    .filter(({ from, to }) => from <= day && (to === null || to >= day))
    .toSorted((a, b) => (a.from === b.from ? b.number - a.number : a.from < b.from ? 1 : -1))[0];
}

function dayAfter(day: string): string {
  return Temporal.PlainDate.from(day).add({ days: 1 }).toString();
}

export async function readInputStamps(
  ctx: Pick<Ctx, "db" | "orgId">,
  accountIds: string[],
  sets: string[],
): Promise<InputStamps> {
  const { db, orgId } = ctx;
  const [charts, aliases, found] = await Promise.all([
    store.findChartTimes(db, orgId, accountIds),
    findAliasDigests(db, orgId, accountIds),
    findSets(db, orgId, sets),
  ]);
  const stamps: InputStamps = {};
  for (const id of accountIds) [stamps[`chart ${id}`], stamps[`names ${id}`]] = ["", ""];
  for (const { accountId, at } of charts) stamps[`chart ${accountId}`] = at.toISOString();
  for (const { id, digest } of aliases) stamps[`names ${id}`] = digest;
  for (const { id, version } of found) stamps[`set ${id}`] = String(version);
  return stamps;
}

/** Reads the stamps with these names again, as of now. */
export async function readStampsAgain(ctx: Ctx, names: Iterable<string>): Promise<InputStamps> {
  const [accountIds, setIds] = [new Set<string>(), new Set<string>()];
  const spans: CardSpan[] = [];
  for (const name of names) {
    const [kind, id = "", from = "", to = ""] = name.split(" ");
    if (kind === "cards") spans.push({ accountId: id, from, to });
    else (kind === "set" ? setIds : accountIds).add(id);
  }
  const cards = await readCardStamps(ctx, spans);
  if (accountIds.size + setIds.size === 0) return cards;
  return { ...cards, ...(await readInputStamps(ctx, [...accountIds], [...setIds])) };
}

export type CardOnDay = { id: string | null; version: number | null; name: string; tariff: Tariff };

/**
 * The cards of an account by day, each with its tariff. `load` reads those of the given days, each once; `on` is undefined for
 * days without a card in effect.
 */
export async function openCards(
  ctx: Ctx,
  account: { id: string; carrier: string },
): Promise<{ load(days: Iterable<string>): Promise<void>; on(day: string): CardOnDay | undefined }> {
  const own = findCarrier(account.carrier)?.ownCard?.();
  const periods = own ? [] : await store.listActivePeriods(ctx.db, ctx.orgId, [account.id]);
  const loaded = new Map<string, CardOnDay>();
  const keyOf = (day: string): string | undefined => (own ? "own" : cardOn(periods, day)?.id);
  const byDay = new Map<string, string | undefined>();
  return {
    async load(days) {
      for (const day of days) {
        if (byDay.has(day)) continue;
        const key = keyOf(day);
        if (key !== undefined && !loaded.has(key)) {
          const found = own ?? (await store.findCard(ctx.db, ctx.orgId, account.id, key))?.card;
          // Deleted meanwhile.
          if (!found) continue;
          const { tariff } = await loadTariffParts(ctx, account.id, found);
          const period = periods.find(({ id }) => id === key);
          loaded.set(key, { id: period?.id ?? null, version: period?.number ?? null, name: found.name, tariff });
        }
        byDay.set(day, key);
      }
    },
    on(day) {
      const key = byDay.get(day);
      return key === undefined ? undefined : loaded.get(key);
    },
  };
}

/** `make` creates the tariff for another scenario. */
export type TariffParts = { tariff: Tariff; make(scenario?: Scenario): Tariff; digest(): string };

/**
 * Compiles a card with its condition sets and the zone chart of the account. The digest changes when the chart or one of
 * the sets does.
 */
export async function loadTariffParts(
  ctx: Ctx,
  accountId: string,
  card: RateCard,
  scenario?: Scenario,
): Promise<TariffParts> {
  const sets = await loadSets(ctx, setsOfCard(card));
  const rows = await store.findChartRows(ctx.db, ctx.orgId, accountId);
  const chart = rows && compileChart(rows);
  const make = (other?: Scenario): Tariff => createTariff(card, sets.lookup, chart, other);
  return {
    tariff: make(scenario),
    make,
    digest: () =>
      createHash("sha256")
        .update(JSON.stringify(rows ?? null))
        .update(sets.digest())
        .digest("hex"),
  };
}
