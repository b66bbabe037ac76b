import { fromMicros } from "../invoice-amounts.ts";
import type { BilledParcel, NewFinding, NotAuditedReason } from "./billed-parcel.ts";
import { centMicros, tolerance } from "./billed-parcel.ts";
import { capFindings } from "./cap-findings.ts";
import { breakDown, chargeFindings } from "./charge-findings.ts";
import { chargeKeysOf } from "./charge-meaning.ts";
import type { Contract, Expected } from "./expected-price.ts";
import { expectPrice, isNoPrice } from "./expected-price.ts";
import { adjustmentFindings, factFindings, lateFinding } from "./fact-findings.ts";
import type { Bill } from "./parcel-bill.ts";
import { billOf, sameness, sumOf } from "./parcel-bill.ts";

/** What is the same for all parcels of an invoice. */
export type AuditTerms = {
  carrier: string;
  format: string;
  /** The contract for parcels of this service. */
  contractOf(service: string | null): Contract | undefined;
  /** The organization buys its labels through the hub, so a parcel without one was not sent by it. */
  sellsLabels: boolean;
  /** Scans of this carrier's parcels reach the hub, so a parcel without one was not handed over. */
  hasScans: boolean;
  /** Parcels shipped after this day may still get their first scan. */
  lastScanDay: string;
};

export type ParcelAudit = {
  reason: NotAuditedReason | null;
  bill: Bill;
  /** Undefined: the contract has no price, as `reason` says. */
  expected: Expected | undefined;
  findings: NewFinding[];
};

const noKeys = chargeKeysOf(undefined);

/** Compares what was billed for a parcel with the contract and with what is known about the parcel. Pure. */
export function auditParcel(parcel: BilledParcel, terms: AuditTerms): ParcelAudit {
  const day = parcel.facts?.shipDate;
  const contract = terms.contractOf(parcel.facts?.service ?? null);
  const keys = (day && contract?.on(day)?.keys) || noKeys;
  const bill = billOf(parcel.lines, keys);
  const found = expectPrice(parcel, bill, contract);
  const whole = wholeFinding(parcel, bill, terms);
  const expected = isNoPrice(found) ? undefined : found;
  const reason = isNoPrice(found) ? found.reason : null;
  // Nothing is owed for such a parcel, so its charges are not examined one by one.
  if (whole) return { reason: null, bill, expected, findings: [whole] };
  const findings = [...repeatFindings(bill), ...earlierFindings(parcel, bill)];
  if (expected) {
    if (bill.hasTransport) {
      const charges = chargeFindings(parcel, bill, expected, terms.format);
      const over = bill.charges - expected.final.price.totalCents * centMicros - charges.accepted;
      const priced = capFindings([...charges.findings, ...factFindings(parcel, expected)], over);
      const claimed = priced.reduce((sum, { amount }) => sum + amount, 0);
      findings.push(...priced, ...lateFinding(parcel, bill, expected, { claimed, carrier: terms.carrier }));
    }
    findings.push(...adjustmentFindings(parcel, bill, expected));
  }
  return { reason, bill, expected, findings };
}

/** A finding about all charges of the parcel. */
function wholeFinding(parcel: BilledParcel, bill: Bill, terms: AuditTerms): NewFinding | undefined {
  const { own, facts, earlier } = parcel;
  if (!bill.hasTransport || bill.total <= tolerance) return undefined;
  const about = (
    kind: "voided_label" | "duplicate" | "not_shipped",
    confidence: NewFinding["confidence"],
    rule: string,
    values: NewFinding["evidence"]["values"],
  ): NewFinding => ({
    kind,
    code: "",
    amount: bill.total,
    confidence,
    evidence: { rule, billed: fromMicros(bill.total), expected: 0, values },
  });
  if (own?.isVoided && !own.isScanned)
    return about("voided_label", "high", "The label was voided, and the carrier has no scan of the parcel", {
      isLabel: own.isLabel,
    });
  if (earlier?.hasTransport && earlier.net > tolerance && areNear(earlier.shipDate, facts?.shipDate ?? null))
    return about("duplicate", "high", `The parcel was billed before, on invoice ${earlier.invoiceNumber}`, {
      invoiceNumber: earlier.invoiceNumber,
      billedBefore: fromMicros(earlier.net),
      shipDateBefore: earlier.shipDate,
    });
  const isSent = facts?.deliveryDate != null || facts?.shipDate == null || facts.shipDate > terms.lastScanDay;
  if (isSent) return undefined;
  if (own && terms.hasScans && !own.isScanned)
    return about("not_shipped", "medium", "The carrier has not scanned the parcel", { hasLabel: own.isLabel });
  if (!own && terms.sellsLabels)
    return about("not_shipped", "low", "The hub has no label and no shipment with this number", { hasLabel: false });
  return undefined;
}

const nearDays = 30;

/** Carriers use tracking numbers again after months. */
function areNear(one: string | null, other: string | null): boolean {
  if (one === null || other === null) return true;
  const days = Temporal.PlainDate.from(one).until(Temporal.PlainDate.from(other), { largestUnit: "days" }).days;
  return Math.abs(days) <= nearDays;
}

/** The same transport twice on one invoice, with its other charges. */
function repeatFindings({ repeats, charges }: Bill): NewFinding[] {
  if (repeats.length === 0) return [];
  const amount = sumOf(repeats);
  const evidence = {
    rule: "The transport is billed twice on the same invoice",
    billed: fromMicros(charges + amount),
    expected: fromMicros(charges),
    values: { lines: repeats.length, charges: repeats.map(({ description }) => description).join(", ") },
  };
  return [{ kind: "duplicate", code: "", amount, confidence: "high", evidence }];
}

/** Surcharges without a transport, such as handling that is billed later, and that an earlier invoice has too. */
function earlierFindings({ earlier, pieces, facts }: BilledParcel, bill: Bill): NewFinding[] {
  if (bill.hasTransport || !earlier || !areNear(earlier.shipDate, facts?.shipDate ?? null)) return [];
  const before = Map.groupBy(earlier.surcharges, sameness);
  return [...bill.surcharges].flatMap(([key, lines]): NewFinding[] => {
    const repeated = lines.flatMap((line) => before.get(sameness(line))?.pop() ?? []);
    const amount = sumOf(repeated);
    if (amount <= tolerance) return [];
    const { description, invoiceNumber } = repeated[0]!;
    const evidence = {
      rule: `${description} was billed before, on invoice ${invoiceNumber}`,
      billed: fromMicros(sumOf(lines)),
      expected: fromMicros(sumOf(lines) - amount),
      values: { invoiceNumber, lines: repeated.length, pieces },
    };
    return [{ kind: "duplicate", code: key, amount, confidence: (pieces ?? 1) > 1 ? "medium" : "high", evidence }];
  });
}

export type ComparedCharge = { charge: string; label: string; billed: number; expected: number | null };

/** Billed and expected side by side, in millionths. */
export function compareCharges({ bill, expected }: ParcelAudit, labelOf: (key: string) => string): ComparedCharge[] {
  const parts = expected && breakDown(expected.final.price, expected.keys);
  const rows: ComparedCharge[] = [
    { charge: "base", label: "Base price", billed: bill.gross, expected: parts ? parts.list : null },
    {
      charge: "discount",
      label: "Discount, minimum",
      billed: -bill.discount,
      expected: parts ? -parts.discount : null,
    },
  ];
  for (const key of new Set([...bill.surcharges.keys(), ...(parts?.surcharges.keys() ?? [])])) {
    const lines = bill.surcharges.get(key) ?? [];
    const label = lines[0]?.description ?? labelOf(key);
    const amount = parts ? (parts.surcharges.get(key) ?? 0) : null;
    rows.push({ charge: key, label, billed: sumOf(lines), expected: amount });
  }
  rows.push({ charge: "fuel", label: "Fuel", billed: bill.fuel, expected: parts ? parts.fuel : null });
  if (bill.repeats.length > 0)
    rows.push({ charge: "repeated", label: "Billed twice", billed: sumOf(bill.repeats), expected: 0 });
  const others = bill.total - rows.reduce((sum, { billed }) => sum + billed, 0);
  rows.push({ charge: "other", label: "Other charges, taxes and duties", billed: others, expected: null });
  return rows.filter(({ billed, expected: of }) => billed !== 0 || (of ?? 0) !== 0);
}
