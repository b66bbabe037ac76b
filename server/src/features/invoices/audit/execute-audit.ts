import { foldService, isOfCarrier } from "../../../carriers/rate-card/service-level.ts";
import { HubError } from "../../../core/errors.ts";
import { createYielder } from "../../../core/yield-to-event-loop.ts";
import type { Ctx, World } from "../../../context.ts";
import { systemContext } from "../../../context.ts";
import type { Tx } from "../../../db/database.ts";
import { recordEvent } from "../../../events/record-event.ts";
import type { WorkKind } from "../../../queue/work.ts";
import { getCarrierAccount } from "../../carrier-accounts/carrier-accounts.ts";
import { openCards } from "../../carrier-accounts/tariff-inputs.ts";
import { fromMicros } from "../invoice-amounts.ts";
import type { Invoice } from "../invoices.schemas.ts";
import { getInvoice } from "../invoices.store.ts";
import { countPieces, listParcelNumbers } from "./audit-input.store.ts";
import type { AuditTerms, ParcelAudit } from "./audit-parcel.ts";
import { auditParcel } from "./audit-parcel.ts";
import type { LeasedAudit, ParcelOutcome } from "./audit-work.store.ts";
import * as work from "./audit-work.store.ts";
import { centMicros } from "./billed-parcel.ts";
import { chargeKeysOf } from "./charge-meaning.ts";
import type { Contract, ContractCard } from "./expected-price.ts";
import { sumFindings } from "./findings.store.ts";
import type { GatheredParcel } from "./gather-billed.ts";
import { countKnown, gatherBilled } from "./gather-billed.ts";
import * as found from "./save-findings.store.ts";
import { settleCredits } from "./settle-credits.ts";

/** Parcels that are audited in one transaction. */
const batchSize = 1_000;
/** Days after its ship date in which a parcel must get its first scan. */
const scanDays = 7;

/** Audits invoices: queued when they are imported and on request. */
export const auditWork: WorkKind<World, LeasedAudit> = {
  name: "invoice audits",
  leases: work.auditLeases,
  wakeOn: ["invoice_audit"],
  pollIntervalMs: 60_000,
  maxAttempts: 5,
  async run(world, row, slice) {
    const ctx = contextOf(world, row);
    const invoice = await getInvoice(ctx.db, ctx.orgId, row.id);
    const all = await listParcelNumbers(ctx.db, ctx.orgId, row.id, "");
    const audit = await openAudit(ctx, row, invoice, all);
    // Numbers come in the order of their bytes, as does the place where an interrupted audit goes on.
    let start = row.after_parcel === "" ? 0 : all.indexOf(row.after_parcel) + 1;
    do {
      const numbers = all.slice(start, start + batchSize);
      const audited = await auditBatch(ctx, audit, row.id, numbers);
      start += numbers.length;
      const isLast = start >= all.length;
      const isHeld = await ctx.db.transaction(async (tx) => {
        if (!(await work.lockLeased(tx, row))) return false;
        await saveBatch(tx, ctx, invoice, audited);
        work.saveProgress(tx, row, { after: numbers.at(-1) ?? "", processed: start, all: all.length });
        if (isLast) await finish(tx, ctx, row, invoice);
        return true;
      });
      if (!isHeld || isLast) return "done";
    } while (!slice.shouldYield());
    return "yield";
  },
  async giveUp(world, row) {
    const error = { code: "internal_error", message: "An internal error occurred; see the server log." };
    await world.db.transaction(async (tx) => {
      if (await work.lockLeased(tx, row))
        await work.endAudit(tx, row, { status: "failed", error, at: world.clock.now() });
    });
  },
};

/** Acts on behalf of the user who imported the invoice or requested the audit. */
function contextOf(world: World, row: LeasedAudit): Ctx {
  return { ...systemContext(world, row.org_id, "invoice audit"), actor: row.requested_by };
}

/** `pieces`: parcels by lead tracking number. */
export type OpenAudit = {
  terms: AuditTerms;
  pieces: ReadonlyMap<string, number>;
  loadDays(days: Iterable<string>): Promise<void>;
};

/** Loads what is the same for all parcels. `numbers`: all parcels of the invoice. */
async function openAudit(ctx: Ctx, row: LeasedAudit, invoice: Invoice, numbers: string[]): Promise<OpenAudit> {
  const own = work.contractsOf(row);
  const contracts = own ?? (await work.findUsualContracts(ctx.db, ctx.orgId, row.id));
  if (contracts && !own) await ctx.db.transaction((tx) => work.keepContracts(tx, row, contracts));
  return await openTerms(ctx, invoice, contracts, numbers);
}

export async function openTerms(
  ctx: Ctx,
  { id, carrier, format }: Invoice,
  contracts: work.Contracts | undefined,
  numbers: string[],
): Promise<OpenAudit> {
  const opened = await openContracts(ctx, contracts);
  const known = await countKnown(ctx, numbers);
  const pieces = await countPieces(ctx.db, ctx.orgId, id);
  const lastScanDay = Temporal.Instant.from(ctx.clock.now().toISOString())
    .toZonedDateTimeISO("UTC")
    .subtract({ days: scanDays })
    .toPlainDate()
    .toString();
  return {
    terms: { carrier, format, contractOf: opened.contractOf, ...known, lastScanDay },
    pieces,
    loadDays: opened.load,
  };
}

/** Of several carriers with which the service begins, the one with the longest name counts. */
async function openContracts(ctx: Ctx, given: work.Contracts | undefined) {
  const { carrierAccountId = null, carrierAccounts } = given ?? {};
  const byCarrier = (carrierAccounts ?? []).toSorted((one, other) => other.carrier.length - one.carrier.length);
  const opened = new Map<string, Awaited<ReturnType<typeof openContract>>>();
  for (const id of new Set([carrierAccountId ?? [], byCarrier.map((one) => one.carrierAccountId)].flat()))
    opened.set(id, await openContract(ctx, id));
  return {
    contractOf: (service: string | null): Contract | undefined => {
      const own = service === null ? undefined : byCarrier.find(({ carrier }) => isOfCarrier(service, carrier));
      const id = own?.carrierAccountId ?? carrierAccountId;
      return id === null ? undefined : opened.get(id)?.contract;
    },
    load: async (days: Iterable<string>): Promise<void> => {
      const all = [...days];
      for (const one of opened.values()) await one?.load(all);
    },
  };
}

async function openContract(ctx: Ctx, accountId: string) {
  const account = await getCarrierAccount(ctx, accountId).catch((error: unknown) => {
    // Deleted meanwhile.
    if (error instanceof HubError && error.status === 404) return undefined;
    throw error;
  });
  if (!account) return undefined;
  const cards = await openCards(ctx, account);
  const known = new WeakMap<object, Pick<ContractCard, "keys" | "services">>();
  const contract: Contract = {
    accountId: account.id,
    accountName: account.name,
    aliases: new Map(Object.entries(account.serviceAliases).map(([name, service]) => [foldService(name), service])),
    on(day) {
      const card = cards.on(day);
      if (!card) return undefined;
      const more = known.get(card.tariff) ?? { keys: chargeKeysOf(card.tariff.card), services: new Map() };
      known.set(card.tariff, more);
      return { ...card, ...more };
    },
  };
  return { contract, load: cards.load };
}

type Audited = { parcel: GatheredParcel; audit: ParcelAudit };

export async function auditBatch(ctx: Ctx, open: OpenAudit, invoiceId: string, numbers: string[]): Promise<Audited[]> {
  const parcels = numbers.length === 0 ? [] : await gatherBilled(ctx, invoiceId, numbers, open.pieces);
  await open.loadDays(new Set(parcels.flatMap(({ facts }) => facts?.shipDate ?? [])));
  const rest = createYielder();
  const audited: Audited[] = [];
  for (const parcel of parcels) {
    audited.push({ parcel, audit: auditParcel(parcel, open.terms) });
    await rest();
  }
  return audited;
}

async function saveBatch(tx: Tx, ctx: Ctx, invoice: Invoice, audited: Audited[]): Promise<void> {
  if (audited.length === 0) return;
  const at = ctx.clock.now();
  const findings = audited.flatMap(({ parcel, audit }) =>
    audit.findings.map((finding) => ({
      ...finding,
      parcel: parcel.number,
      currency: parcel.currency,
      service: parcel.facts?.service ?? null,
      shipDate: parcel.facts?.shipDate ?? null,
    })),
  );
  work.saveOutcomes(tx, ctx.orgId, invoice.id, audited.map(toOutcome));
  const numbers = audited.map(({ parcel }) => parcel.number);
  await found.saveFindings(tx, ctx.orgId, invoice, numbers, findings, { newId: () => ctx.newId(), at });
  const credited = new Map(
    audited.flatMap(({ parcel }) => (parcel.credits.length > 0 ? [[parcel.number, parcel.credits]] : [])),
  );
  await settleCredits(tx, ctx, invoice.carrier, { parcels: numbers, credits: credited });
}

function toOutcome({ parcel, audit }: Audited): ParcelOutcome {
  const { expected, findings, bill, reason } = audit;
  return {
    number: parcel.number,
    reason,
    billed: bill.total,
    expected: expected ? expected.final.price.totalCents * centMicros : null,
    found: findings.reduce((sum, { amount }) => sum + amount, 0),
    service: parcel.facts?.service ?? null,
    shipDate: parcel.facts?.shipDate ?? null,
    currency: parcel.currency,
  };
}

async function finish(tx: Tx, ctx: Ctx, row: LeasedAudit, { carrier, number, currency }: Invoice): Promise<void> {
  await work.endAudit(tx, row, { status: "completed", error: null, at: ctx.clock.now() });
  const [counts, sums] = [
    await work.countOutcomes(tx, ctx.orgId, row.id),
    await sumFindings(tx, ctx.orgId, { invoiceId: row.id }),
  ];
  recordEvent(tx, ctx, {
    type: "invoice.audited",
    objectId: row.id,
    data: {
      carrier,
      number,
      currency,
      parcels: counts.parcels,
      audited: counts.audited,
      findings: sums.reduce((sum, { findings }) => sum + findings, 0),
      amount: fromMicros(sums.reduce((sum, { amount }) => sum + amount, 0)),
    },
  });
}
