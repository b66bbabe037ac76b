import { demoCards } from "../../carriers/demo/demo-cards.ts";
import type { Carrier } from "../../carriers/seam/carrier.ts";
import { carrierPlugins } from "../../carriers/carrier-plugins.ts";
import { carriers, findCarrier } from "../../carriers/installed-carriers.ts";
import type { RateCard } from "../../carriers/rate-card/card.schemas.ts";
import { pickupRuleErrors, PickupRules } from "../../carriers/seam/pickup-rules.ts";
import { badField, errorsAt, HubError, validationFailed } from "../../core/errors.ts";
import { mergePatch } from "../../core/merge-patch.ts";
import type { Page } from "../../core/page.ts";
import { mapPage } from "../../core/page.ts";
import { leavesStoredBehind, plainTextProblem } from "../../core/outbound/credential-address.ts";
import { notFound, orNotFound } from "../../core/resources.ts";
import { createFinder, findErrorsIn } from "../../core/validation.ts";
import type { IfMatch } from "../../core/versions.ts";
import { checkVersion, requirePatch } from "../../core/versions.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { refuseDuplicate } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import { recordConditionSetUses } from "../condition-sets/condition-sets.ts";
import { today } from "../organizations/organizations.ts";
import { sealCredentials, tryOpenCredentials } from "./account-credentials.ts";
import { removeTokens } from "./account-tokens.store.ts";
import type {
  CarrierAccount,
  CarrierAccountPatch,
  CarrierAccountQuery,
  CarrierAccountRequest,
} from "./carrier-accounts.schemas.ts";
import { maxAliases } from "./carrier-accounts.schemas.ts";
import type { Account, AccountFields } from "./carrier-accounts.store.ts";
import * as store from "./carrier-accounts.store.ts";
import * as cards from "./rate-cards.store.ts";
import { expireSubscription } from "./webhook-subscriptions.store.ts";

export type { TrackingPoll } from "./carrier-accounts.store.ts";
export {
  finishTrackingPoll,
  findAccountIdByName,
  expediteTrackingAcrossOrgs,
  trackingPolls,
} from "./carrier-accounts.store.ts";

export async function listCarrierAccounts(ctx: Ctx, query: CarrierAccountQuery): Promise<Page<CarrierAccount>> {
  return mapPage(await store.listAccounts(ctx.db, ctx.orgId, query, await today(ctx)), presentAccount);
}

export async function getCarrierAccount(ctx: Ctx, id: string): Promise<CarrierAccount> {
  return presentAccount(await getAccount(ctx.db, ctx, id));
}

export function listCarriers() {
  const data = carriers.map((carrier) => ({
    name: carrier.name,
    title: carrier.title,
    description: carrier.description,
    plugin: carrierPlugins.originOf(carrier.name),
    usesRateCards: carrier.usesRateCards({}),
    capabilities: [
      ...(carrier.rate ? ["rate"] : []),
      ...(carrier.schedulePickup ? ["pickup"] : []),
      ...(carrier.track ? ["track"] : []),
      ...(carrier.createLabel ? ["label"] : []),
    ],
    supports: {
      quotes: carrier.rate !== undefined,
      labels: carrier.createLabel !== undefined,
      voids: carrier.voidLabel !== undefined,
      pickups: carrier.schedulePickup !== undefined,
      tracking: carrier.track !== undefined,
      manifests: carrier.createManifest !== undefined,
      addressCheck: carrier.checkAddress !== undefined,
      webhooks: carrier.subscribe !== undefined,
      accountTest: carrier.testAccount !== undefined,
    },
    labelTypes: carrier.labelTypes ?? [],
    extraOptions: carrier.extraOptions ?? null,
    settings: carrier.settings,
    credentials: carrier.credentials,
    pickupRules: carrier.pickupRules,
  }));
  return { data };
}

export async function createCarrierAccount(ctx: Ctx, request: CarrierAccountRequest): Promise<CarrierAccount> {
  const { credentials = {}, ...given } = request;
  const account = newAccount(ctx, given, ctx.clock.now());
  refuseWrong(ctx, account, credentials, Object.keys(credentials).length > 0);
  Object.assign(account, sealCredentials(ctx, account.id, credentials));
  return await change(ctx, async (tx) => {
    await refuseTakenName(store.insertAccount(tx, ctx.orgId, account));
    const { id, name, carrier, isActive, version } = account;
    const data = { name, carrier, isActive, version };
    recordEvent(tx, ctx, { type: "carrier_account.created", objectId: id, data });
    return presentAccount({ ...account, rateCard: null, zoneChart: null, webhook: null });
  });
}

/** Without credentials. */
function newAccount(ctx: Ctx, given: Omit<CarrierAccountRequest, "credentials">, at: Date): AccountFields {
  return {
    id: ctx.newId(),
    description: "",
    settings: {},
    credentials: null,
    credentialFields: [],
    pickupRules: {},
    serviceAliases: {},
    isActive: true,
    comparisonOnly: false,
    ...given,
    createdAt: at.toISOString(),
    updatedAt: at.toISOString(),
    version: 1,
  };
}

export async function updateCarrierAccount(
  ctx: Ctx,
  id: string,
  patch: CarrierAccountPatch,
  ifMatch: IfMatch,
): Promise<CarrierAccount> {
  requirePatch(patch);
  return await change(ctx, async (tx) => {
    await lock(tx, ctx, id);
    const before = await getAccount(tx, ctx, id);
    checkVersion(before, ifMatch);
    const { credentials: given, ...told } = patch;
    const { settings, pickupRules, serviceAliases } = before;
    const changed = plain(mergePatch(settings, told.settings ?? {}));
    const credentials = mergeCredentials(ctx, before, changed, given);
    const account: Account = {
      ...before,
      ...told,
      settings: changed,
      pickupRules: plain(
        told.pickupRules === undefined ? pickupRules : (mergePatch(pickupRules, told.pickupRules) ?? {}),
      ),
      serviceAliases: mergePatch(serviceAliases, told.serviceAliases ?? {}) as Record<string, string>,
      ...(credentials && sealCredentials(ctx, id, credentials)),
      updatedAt: ctx.clock.now().toISOString(),
      version: before.version + 1,
    };
    const isReconfigured = told.settings !== undefined || given !== undefined;
    refuseWrong(ctx, account, credentials, isReconfigured && account.credentials !== null);
    if (Object.keys(account.serviceAliases).length > maxAliases) {
      throw badField("/serviceAliases", "maxProperties", `An account can have at most ${maxAliases} service aliases.`);
    }
    if (isReconfigured) {
      await removeTokens(tx, ctx.orgId, id);
      await expireSubscription(tx, ctx.orgId, id);
    }
    await refuseTakenName(store.updateAccount(tx, ctx.orgId, account));
    const { credentialFields, version } = account;
    const data = { ...told, ...(credentials && { credentialFields }), version };
    recordEvent(tx, ctx, { type: "carrier_account.updated", objectId: id, data });
    return presentAccount(account);
  });
}

export async function deleteCarrierAccount(ctx: Ctx, id: string, ifMatch: IfMatch) {
  return await change(ctx, async (tx) => {
    await lock(tx, ctx, id);
    const account = await getAccount(tx, ctx, id);
    checkVersion(account, ifMatch);
    const { name, version } = account;
    for (const cardId of await cards.listCardIds(tx, ctx.orgId, id)) {
      await recordConditionSetUses(tx, ctx, { type: "rate_card", id: cardId, name }, []);
    }
    await store.deleteAccount(tx, ctx.orgId, id);
    recordEvent(tx, ctx, { type: "carrier_account.deleted", objectId: id, data: { name, version } });
    return { id, deleted: true as const };
  });
}

const firstAccountName = "Rate card";

/** The account of a new hub, which has no rate card yet. */
export async function addFirstCarrierAccount(tx: Tx, ctx: Ctx): Promise<void> {
  await insertNamed(tx, ctx, firstAccountName, "Upload a rate card to compare its prices with what you pay.");
}

export type SeededAccount = { id: string; name: string; card: RateCard; cardId: string };

/** Four demo contracts for the preview and the account every hub starts with. Existing accounts are kept. */
export async function seedCarrierAccounts(tx: Tx, ctx: Ctx): Promise<SeededAccount[]> {
  const names = await store.findAccountNames(tx, ctx.orgId);
  if (!names.has(firstAccountName)) await addFirstCarrierAccount(tx, ctx);
  const made: SeededAccount[] = [];
  for (const { account, card } of demoCards()) {
    if (names.has(account)) continue;
    const accountId = await insertNamed(tx, ctx, account, card.note ?? "");
    const at = ctx.clock.real();
    const cardId = ctx.newId();
    await cards.insertCard(tx, ctx.orgId, { id: cardId, accountId, card, isActive: true, by: ctx.actor, at });
    made.push({ id: accountId, name: account, card, cardId });
  }
  return made;
}

async function insertNamed(tx: Tx, ctx: Ctx, name: string, description: string): Promise<string> {
  const account = newAccount(ctx, { name, carrier: "rate-card", description }, ctx.clock.real());
  await store.insertAccount(tx, ctx.orgId, account);
  return account.id;
}

/** The capabilities of an account. */
export type CarrierOffer = Pick<CarrierAccount, "id" | "name" | "carrier" | "isActive" | "comparisonOnly"> & {
  /** Name of the carrier in orders and shipments; for accounts that only have rate cards, the name of the account. */
  carrierName: string;
  givesPrices: boolean;
  sellsLabels: boolean;
  takesLabelsBack: boolean;
  /** Prices are computed by the hub, from ZIPs, states and weights alone. */
  isRatedLocally: boolean;
};

/** All accounts of the organization, oldest first. */
export async function listCarrierOffers(ctx: Ctx): Promise<CarrierOffer[]> {
  const accounts = await store.listNamed(ctx.db, ctx.orgId);
  return accounts.map(({ settings, ...account }) => {
    const carrier = findCarrier(account.carrier);
    const usesRateCards = carrier?.usesRateCards(settings) ?? false;
    return {
      ...account,
      carrierName: usesRateCards && !carrier?.createLabel ? account.name : account.carrier,
      givesPrices: carrier?.rate !== undefined,
      sellsLabels: carrier?.createLabel !== undefined,
      takesLabelsBack: carrier?.voidLabel !== undefined,
      isRatedLocally: usesRateCards || carrier?.isLocal === true,
    };
  });
}

/** Filters the IDs to carrier accounts of the organization. */
export async function findCarrierAccountIds(db: Queryable, orgId: string, ids: string[]): Promise<Set<string>> {
  return new Set(ids.length === 0 ? [] : await store.findAccountIds(db, orgId, ids));
}

export function listTrackingCarriers(): string[] {
  return carriers.flatMap(({ name, track }) => (track ? [name] : []));
}

/** The accounts used for tracking: the oldest active account of each carrier, in each organization or in one. */
export async function listTrackingAccountsAcrossOrgs(
  db: Queryable,
  orgId: string | null,
): Promise<store.TrackingAccount[]> {
  const names = listTrackingCarriers();
  return names.length === 0 ? [] : await store.listFirstActiveAcrossOrgs(db, orgId, names);
}

/** The account with its encrypted credentials, for calls to the carrier. */
export async function getAccount(db: Queryable, ctx: Ctx, id: string): Promise<Account> {
  return orNotFound("carrier_account", await store.findAccount(db, ctx.orgId, id, await today(ctx)));
}

export async function lock(tx: Tx, ctx: Ctx, id: string): Promise<void> {
  if (!(await store.lockAccount(tx, ctx.orgId, id))) throw notFound("carrier_account");
}

const findPickupErrors = createFinder(PickupRules, "body");

/** Omitted credentials are kept, unless the new settings send them to another address. */
function mergeCredentials(
  ctx: Ctx,
  account: Account,
  settings: Record<string, unknown>,
  given: CarrierAccountPatch["credentials"],
): Record<string, unknown> | undefined {
  const carrier = requireCarrier(account.carrier);
  const [before, after] = [addressesOf(carrier, account.settings), addressesOf(carrier, settings)];
  const isElsewhere =
    findErrorsIn(carrier.settings, settings).length === 0 &&
    leavesStoredBehind({ hasStored: account.credentials !== null, before, after, given });
  if (given === undefined) return undefined;
  return plain(mergePatch(isElsewhere ? {} : (tryOpenCredentials(ctx, account) ?? {}), given) ?? {});
}

/** Unchanged credentials were validated when they were stored. `isSecret`: credentials will be sent to the carrier. */
function refuseWrong(
  ctx: Ctx,
  { carrier: name, settings, pickupRules }: AccountFields,
  credentials: object | undefined,
  isSecret: boolean,
): void {
  const carrier = requireCarrier(name);
  const misshapen = findErrorsIn(carrier.settings, settings);
  const isPlain = isSecret && misshapen.length === 0;
  const addresses = isPlain ? addressesOf(carrier, settings) : [];
  const { allowPrivate } = ctx.settings.outbound;
  const problem = addresses.map((address) => plainTextProblem(address, allowPrivate)).find((found) => found);
  const shape = findPickupErrors(pickupRules);
  const rules = shape.length > 0 ? shape : pickupRuleErrors({ ...carrier.pickupRules, ...pickupRules });
  const errors = [
    ...errorsAt("/settings", misshapen),
    ...(problem ? [{ pointer: "/settings", code: "https_required", message: problem }] : []),
    ...errorsAt("/credentials", credentials ? findErrorsIn(carrier.credentials, credentials) : []),
    ...errorsAt("/pickupRules", rules),
  ];
  if (errors.length > 0) throw validationFailed(errors);
}

function addressesOf(carrier: Carrier, settings: Record<string, unknown>): string[] {
  return carrier.sendsTo?.(settings) ?? [];
}

function plain(value: unknown): Record<string, unknown> {
  return value as Record<string, unknown>;
}

function refuseTakenName(saved: Promise<void>): Promise<void> {
  const refusal = (): HubError => new HubError("name_taken", "Another carrier account has this name.");
  return refuseDuplicate(saved, "carrier_accounts_name_key", refusal);
}

/** Throws if the carrier was part of a plug-in that is no longer installed. */
export function requireCarrier(name: string): Carrier {
  const carrier = findCarrier(name);
  if (!carrier) throw new HubError("invalid_state", `The carrier ${name} is not installed in this hub.`);
  return carrier;
}

export function presentAccount({ credentials: _sealed, ...account }: Account): CarrierAccount {
  return { ...account, pickupRules: { ...findCarrier(account.carrier)?.pickupRules, ...account.pickupRules } };
}
