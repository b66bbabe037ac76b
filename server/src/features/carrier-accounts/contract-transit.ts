import { findService } from "../../carriers/rate-card/compile-card.ts";
import { toMg } from "../../carriers/rate-card/measures.ts";
import { placeOf } from "../../carriers/rate-card/rate-shipment.ts";
import { zoneOf } from "../../carriers/rate-card/tariff.ts";
import type { Address } from "../../core/address.ts";
import type { Weight } from "../../core/weight.ts";
import type { Ctx } from "../../context.ts";
import { getAccount } from "./carrier-accounts.ts";
import { findCardOn, loadTariffParts } from "./tariff-inputs.ts";

/** `transitDays`: null if the card has none for this service and zone. */
export type ContractTransit = { zone: string; transitDays: number | null; rateCardId: string };

type Sent = { service: string; from: Address; to: Address; weight: Weight; shipDate: string };

/** Zone and transit days by the account's rate card in effect; undefined without a card, or where it has no such service or zone. */
export async function findContractTransit(
  ctx: Ctx,
  accountId: string,
  { service, from, to, weight, shipDate }: Sent,
): Promise<ContractTransit | undefined> {
  const stored = await findCardOn(ctx, accountId, shipDate);
  if (!stored) return undefined;
  const [{ tariff }, { serviceAliases }] = await Promise.all([
    loadTariffParts(ctx, accountId, stored.card),
    getAccount(ctx.db, ctx, accountId),
  ]);
  const match = findService(tariff.card, serviceAliases[service] ?? service);
  if (!match) return undefined;
  const found = zoneOf(tariff, placeOf(from), placeOf(to), match.service, toMg(weight));
  if ("reason" in found) return undefined;
  const { zone } = found;
  return { zone, transitDays: match.service.transitDays[zone] ?? null, rateCardId: stored.id };
}
