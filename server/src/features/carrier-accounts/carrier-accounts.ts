import type { Carrier } from "../../carriers/carrier.ts";
import { demoCards } from "../../carriers/demo/demo-cards.ts";
import { carriers, findCarrier } from "../../carriers/installed-carriers.ts";
import type { RateCard } from "../../carriers/rate-card/card.schemas.ts";
import { pickupRuleErrors, PickupRules } from "../../carriers/pickup-rules.ts";
import type { FieldError } from "../../core/errors.ts";
import { badField, HubError, validationFailed } from "../../core/errors.ts";
import { mergePatch } from "../../core/merge-patch.ts";
import type { Page } from "../../core/page.ts";
import { notFound } from "../../core/resources.ts";
import { createFinder } from "../../core/validation.ts";
import { checkVersion, requirePatch } from "../../core/versions.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import type { Queryable, Tx } from "../../db/database.ts";
import { violatedConstraint } from "../../db/database.ts";
import { recordEvent } from "../../events/record-event.ts";
import { recordConditionSetUses } from "../condition-sets/condition-sets.ts";
import { sealCredentials, tryOpenCredentials } from "./account-credentials.ts";
import type {
  CarrierAccount,
  CarrierAccountPatch,
  CarrierAccountQuery,
  CarrierAccountRequest,
} from "./carrier-accounts.schemas.ts";
import { maxAliases } from "./carrier-accounts.schemas.ts";
import type { AccountRow, AccountValues } from "./carrier-accounts.store.ts";
import * as store from "./carrier-accounts.store.ts";
import * as cards from "./rate-cards.store.ts";

export function today(ctx: Ctx): string {
  return ctx.clock.now().toISOString().slice(0, 10);
}

export async function listCarrierAccounts(ctx: Ctx, query: CarrierAccountQuery): Promise<Page<CarrierAccount>> {
  const page = await store.listAccounts(ctx.db, ctx.orgId, query, today(ctx));
  return { ...page, data: page.data.map(presentAccount) };
}

export async function getCarrierAccount(ctx: Ctx, id: string): Promise<CarrierAccount> {
  return presentAccount(await getRow(ctx.db, ctx, id));
}

export function listCarriers() {
  const data = carriers.map((carrier) => ({
    name: carrier.name,
    title: carrier.title,
    description: carrier.description,
    usesRateCards: carrier.usesRateCards,
    capabilities: [
      ...(carrier.rate ? ["rate"] : []),
      ...(carrier.schedulePickup ? ["pickup"] : []),
      ...(carrier.track ? ["track"] : []),
      ...(carrier.createLabel ? ["label"] : []),
    ],
    settings: carrier.settings,
    credentials: carrier.credentials,
    pickupRules: carrier.pickupRules,
  }));
  return { data };
}

export async function createCarrierAccount(ctx: Ctx, request: CarrierAccountRequest): Promise<CarrierAccount> {
  const carrier = findCarrier(request.carrier)!;
  const settings = request.settings ?? {};
  refuse([
    ...wrongIn(carrier, "settings", settings),
    ...wrongIn(carrier, "credentials", request.credentials ?? {}),
    ...wrongRules(carrier, request.pickupRules ?? {}),
  ]);
  return await change(ctx, async (tx) => {
    const id = ctx.newId();
    await insert(tx, ctx, {
      id,
      name: request.name,
      carrier: request.carrier,
      description: request.description ?? "",
      settings,
      ...sealCredentials(ctx, id, request.credentials ?? {}),
      pickupRules: request.pickupRules ?? {},
      serviceAliases: request.serviceAliases ?? {},
      isActive: request.isActive ?? true,
      at: ctx.clock.now(),
    });
    const account = presentAccount(await getRow(tx, ctx, id));
    const { name, isActive, version } = account;
    const data = { name, carrier: account.carrier, isActive, version };
    await recordEvent(tx, ctx, { type: "carrier_account.created", objectId: id, data });
    return account;
  });
}

export async function updateCarrierAccount(
  ctx: Ctx,
  id: string,
  patch: CarrierAccountPatch,
  ifMatch: number | undefined,
): Promise<CarrierAccount> {
  requirePatch(patch);
  return await change(ctx, async (tx) => {
    await lock(tx, ctx, id);
    const row = await getRow(tx, ctx, id);
    checkVersion(row, ifMatch);
    const carrier = findCarrier(row.carrier)!;
    const settings = patch.settings === undefined ? row.settings : plain(mergePatch(row.settings, patch.settings));
    const credentials =
      patch.credentials === undefined
        ? undefined
        : plain(mergePatch(tryOpenCredentials(ctx, row) ?? {}, patch.credentials) ?? {});
    const pickupRules = plain(
      patch.pickupRules === undefined ? row.pickup_rules : (mergePatch(row.pickup_rules, patch.pickupRules) ?? {}),
    );
    refuse([
      ...wrongIn(carrier, "settings", settings),
      ...(credentials ? wrongIn(carrier, "credentials", credentials) : []),
      ...wrongRules(carrier, pickupRules),
    ]);
    const serviceAliases = mergePatch(row.service_aliases, patch.serviceAliases ?? {}) as Record<string, string>;
    if (Object.keys(serviceAliases).length > maxAliases) {
      throw badField("/serviceAliases", "maxProperties", `There would be more than ${maxAliases} of them.`);
    }
    const sealed = credentials
      ? sealCredentials(ctx, id, credentials)
      : { credentials: row.credentials, credentialFields: row.credential_fields };
    const values: AccountValues = {
      id,
      name: patch.name ?? row.name,
      carrier: row.carrier,
      description: patch.description ?? row.description,
      settings,
      ...sealed,
      pickupRules,
      serviceAliases,
      isActive: patch.isActive ?? row.is_active,
      at: ctx.clock.now(),
    };
    await refuseTakenName(store.updateAccount(tx, ctx.orgId, values));
    const { credentials: given, ...told } = patch;
    const fields = given === undefined ? {} : { credentialFields: values.credentialFields };
    const updated = await getRow(tx, ctx, id);
    const data = { ...told, ...fields, version: updated.version };
    await recordEvent(tx, ctx, { type: "carrier_account.updated", objectId: id, data });
    return presentAccount(updated);
  });
}

export async function deleteCarrierAccount(ctx: Ctx, id: string, ifMatch: number | undefined) {
  return await change(ctx, async (tx) => {
    await lock(tx, ctx, id);
    const row = await getRow(tx, ctx, id);
    checkVersion(row, ifMatch);
    for (const cardId of await cards.listCardIds(tx, ctx.orgId, id)) {
      await recordConditionSetUses(tx, ctx, { type: "rate_card", id: cardId, name: row.name }, []);
    }
    await store.deleteAccount(tx, ctx.orgId, id);
    const { name, version } = row;
    await recordEvent(tx, ctx, { type: "carrier_account.deleted", objectId: id, data: { name, version } });
    return { id, deleted: true as const };
  });
}

const firstAccountName = "Rate card";

/** What a new hub starts with: an account that waits for its first rate card. */
export async function addFirstCarrierAccount(tx: Tx, ctx: Ctx): Promise<void> {
  await insertNamed(tx, ctx, firstAccountName, "Upload a rate card to compare its prices with what you pay.");
}

export type SeededAccount = { id: string; name: string; card: RateCard; cardId: string };

/** Four invented contracts for the preview, and the account every hub starts with; those already there stay. */
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
  const id = ctx.newId();
  await store.insertAccount(tx, ctx.orgId, {
    id,
    name,
    carrier: "rate-card",
    description,
    settings: {},
    credentials: null,
    credentialFields: [],
    pickupRules: {},
    serviceAliases: {},
    isActive: true,
    at: ctx.clock.real(),
  });
  return id;
}

export async function findAccountIdByName(db: Queryable, orgId: string, name: string): Promise<string | undefined> {
  return await store.findAccountIdByName(db, orgId, name);
}

/** Those of these ids that are carrier accounts of the organization. */
export async function findCarrierAccountIds(db: Queryable, orgId: string, ids: string[]): Promise<Set<string>> {
  return new Set(ids.length === 0 ? [] : await store.findAccountIds(db, orgId, ids));
}

export function listTrackingCarriers(): string[] {
  return carriers.flatMap(({ name, track }) => (track ? [name] : []));
}

/** Whom to ask about parcels: of each organization (or of one) and carrier the account that is active longest. */
export async function listTrackingAccountsAcrossOrgs(
  db: Queryable,
  orgId: string | null,
): Promise<store.TrackingAccount[]> {
  const names = listTrackingCarriers();
  return names.length === 0 ? [] : await store.listFirstActiveAcrossOrgs(db, orgId, names);
}

export type { TrackingTurn } from "./carrier-accounts.store.ts";
export { trackingTurns } from "./carrier-accounts.store.ts";

export async function endTrackingTurn(
  { db, orgId }: Pick<Ctx, "db" | "orgId">,
  { id }: store.TrackingTurn,
  next: { dueAt: string; attempts: number },
): Promise<void> {
  await store.endTrackingTurn(db, orgId, id, next);
}

/** Every carrier may be asked about parcels from now on. */
export async function hastenTracking(tx: Tx, now: Date): Promise<void> {
  await store.hastenTrackingAcrossOrgs(tx, now);
}

/** The account with its sealed credentials; for those that call the carrier. */
export async function getRow(db: Queryable, ctx: Ctx, id: string): Promise<AccountRow> {
  const row = await store.findAccount(db, ctx.orgId, id, today(ctx));
  if (!row) throw notFound("carrier_account");
  return row;
}

export async function lock(tx: Tx, ctx: Ctx, id: string): Promise<void> {
  if (!(await store.lockAccount(tx, ctx.orgId, id))) throw notFound("carrier_account");
}

const findPickupErrors = createFinder(PickupRules, "body");
const finders = new WeakMap<object, ReturnType<typeof createFinder>>();

function wrongIn(carrier: Carrier, part: "settings" | "credentials", given: Record<string, unknown>): FieldError[] {
  const schema = carrier[part];
  let find = finders.get(schema);
  if (!find) finders.set(schema, (find = createFinder(schema, "body")));
  return find(given).map((error) => ({ ...error, pointer: `/${part}${error.pointer}` }));
}

function wrongRules(carrier: Carrier, given: Record<string, unknown>): FieldError[] {
  const shape = findPickupErrors(given);
  const errors = shape.length > 0 ? shape : pickupRuleErrors({ ...carrier.pickupRules, ...given });
  return errors.map((error) => ({ ...error, pointer: `/pickupRules${error.pointer}` }));
}

function refuse(errors: FieldError[]): void {
  if (errors.length > 0) throw validationFailed(errors);
}

function plain(value: unknown): Record<string, unknown> {
  return value as Record<string, unknown>;
}

function insert(tx: Tx, ctx: Ctx, values: AccountValues): Promise<void> {
  return refuseTakenName(store.insertAccount(tx, ctx.orgId, values));
}

async function refuseTakenName(saved: Promise<void>): Promise<void> {
  try {
    await saved;
  } catch (error) {
    if (violatedConstraint(error) !== "carrier_accounts_name_key") throw error;
    throw new HubError("name_taken", "Another carrier account has this name.");
  }
}

export function presentAccount(row: AccountRow): CarrierAccount {
  return {
    id: row.id,
    name: row.name,
    carrier: row.carrier,
    description: row.description,
    settings: row.settings,
    credentialFields: row.credential_fields,
    pickupRules: { ...findCarrier(row.carrier)?.pickupRules, ...row.pickup_rules },
    serviceAliases: row.service_aliases,
    isActive: row.is_active,
    rateCard: row.card,
    zoneChart: row.chart && { ...row.chart, uploadedAt: new Date(row.chart.uploadedAt).toISOString() },
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    version: row.version,
  };
}
