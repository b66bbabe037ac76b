import { fromMg } from "../../../carriers/rate-card/measures.ts";
import { surchargeLine } from "../../../carriers/rate-card/surcharges.ts";
import { promiseFrom } from "../../../core/transit-promise.ts";
import { fromMicros } from "../invoice-amounts.ts";
import type { BilledParcel, Confidence, Evidence, FindingKind, NewFinding } from "./billed-parcel.ts";
import { centMicros, tolerance } from "./billed-parcel.ts";
import type { Expected, Priced } from "./expected-price.ts";
import { isAbroad } from "./expected-price.ts";
import type { Bill, BilledLine } from "./parcel-bill.ts";
import { sumOf } from "./parcel-bill.ts";

const totalOf = ({ price }: Priced): number => price.totalCents * centMicros;

/** Zone, weight, size and kind of address: each finding is the difference between two prices of the contract. */
export function factFindings(parcel: BilledParcel, expected: Expected): NewFinding[] {
  const { zone, residential, asBilled, withZone, withWeight, final } = expected;
  const findings: NewFinding[] = [];
  const add = (kind: FindingKind, steps: [Priced, Priced], confidence: Confidence, about: Told): void => {
    const [before, after] = steps.map(totalOf) as [number, number];
    if (before - after <= tolerance) return;
    const evidence = { ...about, billed: fromMicros(before), expected: fromMicros(after) };
    findings.push({ kind, code: "", amount: before - after, confidence, evidence });
  };
  const { senderZip, receiverZip } = parcel.facts!;
  add("zone", [asBilled, withZone], zone.source === "chart" ? "high" : zone.source === "distance" ? "medium" : "low", {
    rule: `From ${senderZip ?? "?"} to ${receiverZip ?? "?"} is zone ${zone.expected} (${zone.source}); billed is zone ${zone.billed}`,
    values: { billedZone: zone.billed, expectedZone: zone.expected, zoneSource: zone.source, senderZip, receiverZip },
  });
  const weight = aboutWeight(parcel, expected);
  add(weight.kind, [withZone, withWeight], weight.confidence, weight.told);
  add("residential", [withWeight, final], "medium", {
    rule: "The label was bought for a commercial address; the delivery is billed as residential",
    values: { billedResidential: residential.billed, expectedResidential: residential.expected },
  });
  return findings;
}

type Told = Pick<Evidence, "rule" | "values">;
type AboutWeight = { kind: "weight" | "dimensions"; confidence: Confidence; told: Told };

function aboutWeight({ facts, own }: BilledParcel, { withWeight, service }: Expected): AboutWeight {
  const { price } = withWeight;
  const unit = service.breakUnit;
  const inUnit = (mg: number | null): number | null => (mg === null ? null : fromMg(mg, unit).value);
  const isBySize = facts!.basis === "dimensional" || (own?.sides !== undefined && facts!.sides !== undefined);
  const source = own?.weightMg != null || own?.sides !== undefined ? "label" : "invoice";
  const values = {
    unit,
    billedWeight: inUnit(facts!.billedMg),
    enteredWeight: inUnit(facts!.enteredMg),
    ownWeight: inUnit(own?.weightMg ?? null),
    dimensionalWeight: price.dimMg === 0 ? null : inUnit(price.dimMg),
    billableWeight: inUnit(price.billableMg),
    billedSides: saySides(facts!.sides),
    ownSides: saySides(own?.sides),
  };
  const rule =
    `The contract bills ${inUnit(price.billableMg)} ${unit}: the larger of ${inUnit(price.actualMg)} ${unit} (${source})` +
    (price.dimMg === 0 ? "" : ` and ${inUnit(price.dimMg)} ${unit} by size`) +
    `; billed are ${inUnit(facts!.billedMg)} ${unit}`;
  // The carrier's own measures and the agreed divisor leave no doubt; a weight that the sender entered does.
  const isCarriers = facts!.basis === "dimensional" && facts!.sides !== undefined && own?.sides === undefined;
  const confidence = isCarriers ? "high" : source === "label" ? "medium" : "low";
  return { kind: isBySize ? "dimensions" : "weight", confidence, told: { rule, values } };
}

function saySides(sides: readonly number[] | undefined): string | null {
  return sides === undefined ? null : `${sides.map((side) => Math.round(side * 100) / 100).join(" x ")} in`;
}

/**
 * Corrections after delivery. What the original invoice billed too little may be corrected; the rest is a finding. A correction of
 * the address costs what the contract says.
 */
export function adjustmentFindings(parcel: BilledParcel, bill: Bill, expected: Expected): NewFinding[] {
  if (bill.adjustments.length === 0) return [];
  const { final } = expected;
  const before = bill.hasTransport ? bill.charges : (parcel.earlier?.net ?? 0);
  const missing = Math.max(0, totalOf(final) - before);
  const allowed = Math.max(missing, sumAllowed(bill.adjustments, expected));
  const billed = sumOf(bill.adjustments);
  const amount = billed - allowed;
  if (amount <= tolerance) return [];
  const evidence = {
    rule:
      missing > 0
        ? `The contract's price is ${fromMicros(totalOf(final)).toFixed(2)}, of which ${fromMicros(before).toFixed(2)} was billed before`
        : "The price that was billed before is not below that of the contract",
    billed: fromMicros(billed),
    expected: fromMicros(allowed),
    values: {
      contractPrice: fromMicros(totalOf(final)),
      billedBefore: fromMicros(before),
      correction: bill.adjustments.map(({ description }) => description).join(", "),
    },
  };
  const confidence = parcel.own?.weightMg == null ? "low" : "medium";
  return [{ kind: "adjustment", code: "", amount, confidence, evidence }];
}

function sumAllowed(adjustments: BilledLine[], { keys, final }: Expected): number {
  const { situation, price } = final;
  const found = new Set(adjustments.map((line) => keys.keyOf(line)).filter((key) => key === "address_correction"));
  return [...found]
    .flatMap((key) => keys.surcharges.get(key) ?? [])
    .reduce((sum, surcharge) => {
      const line = surchargeLine({ surcharge, sharePpm: 1_000_000 }, situation.zone, 0, price.billableMg);
      return sum + line.cents * centMicros;
    }, 0);
}

/** Late against the promise, where the service is guaranteed. `claimed`: what other findings ask back already. */
export function lateFinding(parcel: BilledParcel, bill: Bill, expected: Expected, about: LateTerms): NewFinding[] {
  const { facts, own } = parcel;
  const { service, zone } = expected;
  const delivered = own?.deliveredDay ?? facts!.deliveryDate;
  if (!service.isGuaranteed || !bill.hasTransport || delivered === null) return [];
  const isSaturdayDelivery = bill.surcharges.get("saturday")?.some(isForDelivery) ?? false;
  const promise = promiseOf(parcel, expected, { carrier: about.carrier, isSaturdayDelivery });
  const amount = bill.charges - about.claimed;
  if (promise === undefined || delivered <= promise.day || amount <= tolerance) return [];
  const evidence = {
    rule: `${service.name} is guaranteed; promised for ${promise.day} (${promise.source}), delivered on ${delivered}`,
    billed: fromMicros(bill.charges),
    expected: 0,
    values: {
      shipDate: facts!.shipDate,
      promisedDate: promise.day,
      promiseSource: promise.source,
      deliveredDate: delivered,
      transitDays: service.transitDays[zone.expected] ?? null,
      otherFindings: fromMicros(about.claimed),
    },
  };
  const confidence = facts!.deliveryDate === null ? "medium" : "high";
  return [{ kind: "late_delivery", code: "", amount, confidence, evidence }];
}

/** Carriers also charge for a pickup on a Saturday. */
const isForDelivery = ({ description }: BilledLine): boolean => !/pick\s?-?up/i.test(description);

type LateTerms = { claimed: number; carrier: string };

function promiseOf(
  { own, facts }: BilledParcel,
  { service, zone }: Expected,
  sent: { carrier: string; isSaturdayDelivery: boolean },
): { day: string; source: string } | undefined {
  if (own?.promise) return own.promise;
  // Business days are those of the United States.
  if (isAbroad(facts!)) return undefined;
  const days = service.transitDays[zone.expected];
  if (days === undefined) return undefined;
  const { shipDate, service: name } = facts!;
  const { promisedDate } = promiseFrom({ ...sent, service: name }, { shipDate: shipDate!, transitDays: days });
  return { day: promisedDate, source: "contract" };
}
