import { badField } from "../../core/errors.ts";
import { orNotFound } from "../../core/resources.ts";
import { roundToCents } from "../../core/money.ts";
import type { Ctx } from "../../context.ts";
import type { CarrierAccount } from "../carrier-accounts/carrier-accounts.schemas.ts";
import { getCarrierAccount } from "../carrier-accounts/carrier-accounts.ts";
import { findCardById } from "../carrier-accounts/tariff-inputs.ts";
import type { ComparisonHeader } from "./rate-comparisons.schemas.ts";
import type { Target, TargetRequest } from "./rate-targets.schemas.ts";

/** The contracts of a new comparison. `targets` is null if there is only one. */
export type Contracts = { account: { id: string; name: string }; targets: Target[] | null };

/** Checks that the accounts and cards of a new comparison exist in the organization. */
export async function checkContracts(ctx: Ctx, header: ComparisonHeader): Promise<Contracts> {
  const { carrierAccountId, sourceCarrierAccountId, targets } = header;
  if (sourceCarrierAccountId !== undefined) await getCarrierAccount(ctx, sourceCarrierAccountId);
  if (targets === undefined) {
    if (carrierAccountId !== undefined)
      return { account: await getCarrierAccount(ctx, carrierAccountId), targets: null };
    throw badField("/carrierAccountId", "required", "Send carrierAccountId, or up to ten contracts in targets.");
  }
  const first = targets[0]!.carrierAccountId;
  if (carrierAccountId !== undefined && carrierAccountId !== first) {
    const message = "With targets, carrierAccountId is the account of the first target, or left out.";
    throw badField("/carrierAccountId", "conflict", message);
  }
  const checked: Target[] = [];
  const accounts = new Map<string, CarrierAccount>();
  for (const [index, request] of targets.entries()) {
    const { carrierAccountId: id } = request;
    const account = accounts.get(id) ?? (await getCarrierAccount(ctx, id));
    accounts.set(id, account);
    checked.push(await checkTarget(ctx, request, account, index + 1));
  }
  refuseSameNames(checked);
  const { id, name } = accounts.get(first)!;
  return { account: { id, name }, targets: checked };
}

async function checkTarget(ctx: Ctx, request: TargetRequest, account: CarrierAccount, number: number): Promise<Target> {
  const { rateCardId, minParcels = null, minRevenue } = request;
  const card =
    rateCardId === undefined ? undefined : orNotFound("rate_card", await findCardById(ctx, account.id, rateCardId));
  return {
    target: number,
    name: request.name ?? (card ? `${account.name}, ${card.name}` : account.name),
    carrierAccountId: account.id,
    carrierAccountName: account.name,
    rateCardId: rateCardId ?? null,
    minParcels,
    minRevenue: minRevenue === undefined ? null : roundToCents(minRevenue),
  };
}

/** Columns of the exports have these names. */
function refuseSameNames(targets: Target[]): void {
  for (const [index, { name }] of targets.entries()) {
    const other = targets.findIndex((one) => one.name.toLowerCase() === name.toLowerCase());
    if (other === index) continue;
    const message = `Targets ${other + 1} and ${index + 1} have the same name, ${JSON.stringify(name)}. Give each its own.`;
    throw badField(`/targets/${index}/name`, "duplicate", message);
  }
}
