import { toCell, toCsv } from "../../../core/csv/csv.ts";
import type { Cell } from "../../../core/csv/xlsx.ts";
import { fromCents, toCents } from "../../../core/money.ts";
import { yieldToEventLoop } from "../../../core/yield-to-event-loop.ts";
import type { Ctx } from "../../../context.ts";
import { Streamed } from "../../../route.ts";
import type { FindingKind } from "./billed-parcel.ts";
import type { Finding, FindingFilter } from "../findings.schemas.ts";
import { readFindingsAfter } from "./findings.store.ts";

type Column = [name: string, read: (finding: Finding, amounts: Amounts) => Cell];
type Layout = { carrier: RegExp; columns: Column[] };

/** The reason of a claim in the words of carriers' forms. */
const reasons: Record<FindingKind, string> = {
  base_rate: "Incorrect rate",
  discount: "Incorrect discount",
  minimum: "Incorrect minimum charge",
  fuel: "Incorrect fuel surcharge",
  surcharge: "Incorrect surcharge",
  zone: "Incorrect zone",
  weight: "Incorrect weight",
  dimensions: "Incorrect dimensions",
  residential: "Incorrect residential surcharge",
  duplicate: "Duplicate billing",
  voided_label: "Voided shipment",
  not_shipped: "Package not shipped",
  late_delivery: "Guaranteed service refund",
  adjustment: "Incorrect adjustment",
};

/** The amounts of a row, in cents: `billed` less `expected`, with `fuel` and without `credited`, is `disputed`. */
type Amounts = { billed: number; expected: number; fuel: number; credited: number; disputed: number };

function amountsOf({ kind, amount, creditedAmount, evidence }: Finding): Amounts {
  const { billed, values } = evidence;
  // Findings about the transport compare list prices and discounts; what is claimed is the difference of the net prices.
  const isNet = kind === "base_rate" || kind === "discount" || kind === "minimum";
  const charged = isNet && typeof values.billedNet === "number" ? values.billedNet : billed;
  const fuel = typeof values.fuel === "number" ? toCents(values.fuel) : 0;
  const disputed = toCents(Math.max(0, amount - creditedAmount));
  const credited = toCents(amount) - disputed;
  return { billed: toCents(charged), expected: toCents(charged) - toCents(amount) + fuel, fuel, credited, disputed };
}

const money = (read: keyof Amounts) => (_finding: Finding, amounts: Amounts) => fromCents(amounts[read]).toFixed(2);
const value = (read: keyof Amounts) => (_finding: Finding, amounts: Amounts) => fromCents(amounts[read]);
const day = (date: string | null): string => date?.replaceAll("-", "") ?? "";

const layouts: Layout[] = [
  {
    carrier: /\bups\b/i,
    columns: [
      ["Account Number", ({ account }) => account],
      ["Invoice Number", ({ invoiceNumber }) => invoiceNumber],
      ["Invoice Date", ({ invoiceDate }) => invoiceDate],
      ["Tracking Number", ({ trackingNumber }) => trackingNumber],
      ["Ship Date", ({ shipDate }) => shipDate],
      ["Service", ({ service }) => service],
      ["Dispute Reason", ({ kind }) => reasons[kind]],
      ["Charge", ({ code }) => code],
      ["Billed Amount", money("billed")],
      ["Expected Amount", money("expected")],
      ["Fuel on Difference", money("fuel")],
      ["Credited Amount", money("credited")],
      ["Disputed Amount", money("disputed")],
      ["Currency", ({ currency }) => currency],
      ["Comments", ({ evidence }) => evidence.rule],
    ],
  },
  {
    carrier: /fed\s?ex/i,
    columns: [
      ["Bill to Account Number", ({ account }) => account],
      ["Invoice Number", ({ invoiceNumber }) => invoiceNumber],
      ["Tracking ID", ({ trackingNumber }) => trackingNumber],
      ["Shipment Date", ({ shipDate }) => day(shipDate)],
      ["Dispute Type", ({ kind }) => reasons[kind]],
      ["Charge Description", ({ code }) => code],
      ["Billed Amount", money("billed")],
      ["Correct Amount", money("expected")],
      ["Fuel on Difference", money("fuel")],
      ["Credited Amount", money("credited")],
      ["Dispute Amount", money("disputed")],
      ["Dispute Comments", ({ evidence }) => evidence.rule],
    ],
  },
  {
    carrier: /\bdhl\b/i,
    columns: [
      ["Billing Account", ({ account }) => account],
      ["Invoice Number", ({ invoiceNumber }) => invoiceNumber],
      ["Invoice Date", ({ invoiceDate }) => day(invoiceDate)],
      ["Shipment Number", ({ trackingNumber }) => trackingNumber],
      ["Shipment Date", ({ shipDate }) => day(shipDate)],
      ["Query Reason", ({ kind }) => reasons[kind]],
      ["Charge", ({ code }) => code],
      ["Invoiced Amount", money("billed")],
      ["Agreed Amount", money("expected")],
      ["Fuel on Difference", money("fuel")],
      ["Credited Amount", money("credited")],
      ["Disputed Amount", money("disputed")],
      ["Currency", ({ currency }) => currency],
      ["Remarks", ({ evidence }) => evidence.rule],
    ],
  },
];

/** For other carriers, and for findings of several. */
const common: Column[] = [
  ["carrier", ({ carrier }) => carrier],
  ["account", ({ account }) => account],
  ["invoiceNumber", ({ invoiceNumber }) => invoiceNumber],
  ["invoiceDate", ({ invoiceDate }) => invoiceDate],
  ["trackingNumber", ({ trackingNumber }) => trackingNumber],
  ["shipDate", ({ shipDate }) => shipDate],
  ["service", ({ service }) => service],
  ["kind", ({ kind }) => kind],
  ["code", ({ code }) => code],
  ["state", ({ state }) => state],
  ["confidence", ({ confidence }) => confidence],
  ["billed", value("billed")],
  ["expected", value("expected")],
  ["fuel", value("fuel")],
  ["creditedAmount", value("credited")],
  ["disputed", value("disputed")],
  ["currency", ({ currency }) => currency],
  ["rule", ({ evidence }) => evidence.rule],
  ["note", ({ note }) => note],
];

const batchSize = 500;
const firstId = "00000000-0000-0000-0000-000000000000";

/**
 * The findings as the carrier's claim desk takes them; with `carrier`, in its columns. Without `state`, those that can be claimed: open,
 * and not credited in full.
 */
export function exportClaims(ctx: Ctx, given: FindingFilter): Streamed {
  const filter = { ...given, state: given.state ?? "open" };
  const isClaim = given.state === undefined;
  const carrier = filter.carrier ?? "";
  const columns = layouts.find((layout) => layout.carrier.test(carrier))?.columns ?? common;
  async function* body(): AsyncGenerator<string> {
    yield toCsv([columns.map(([name]) => name)]);
    for (let after = firstId; ;) {
      const findings = await readFindingsAfter(ctx.db, ctx.orgId, filter, after, batchSize);
      const last = findings.at(-1);
      if (!last) return;
      const rows = findings.flatMap((finding) => {
        const amounts = amountsOf(finding);
        if (isClaim && amounts.disputed <= 0) return [];
        return [columns.map(([, read]) => toCell(read(finding, amounts)))];
      });
      yield toCsv(rows);
      await yieldToEventLoop();
      after = last.id;
    }
  }
  const name = carrier === "" ? "findings" : `claims-${carrier.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")}`;
  return new Streamed("text/csv", `${name}.csv`, body());
}
