import { fromMicros } from "../invoice-amounts.ts";
import type { Confidence, NewFinding } from "./billed-parcel.ts";
import { tolerance } from "./billed-parcel.ts";

const order: readonly Confidence[] = ["low", "medium", "high"];

/**
 * Limits the findings of a parcel to `over`, what it was billed above the contract's price: a charge below the contract is offset
 * against the others, since carriers net them when they examine a claim. The findings that are least sure are reduced first.
 */
export function capFindings(findings: readonly NewFinding[], over: number): NewFinding[] {
  const sum = findings.reduce((total, { amount }) => total + amount, 0);
  let excess = sum - Math.max(0, over);
  if (excess <= tolerance) return [...findings];
  const left = new Map(findings.map((finding) => [finding, finding.amount]));
  for (const finding of findings.toSorted((a, b) => order.indexOf(a.confidence) - order.indexOf(b.confidence))) {
    const cut = Math.min(excess, finding.amount);
    left.set(finding, finding.amount - cut);
    excess -= cut;
  }
  return findings.flatMap((finding): NewFinding[] => {
    const amount = left.get(finding)!;
    const cut = finding.amount - amount;
    if (amount <= tolerance) return [];
    return [cut === 0 ? finding : { ...finding, amount, evidence: reduced(finding.evidence, cut, amount) }];
  });
}

function reduced({ rule, values, ...evidence }: NewFinding["evidence"], cut: number, amount: number) {
  const { fuel } = values;
  return {
    ...evidence,
    rule: `${rule}. Less ${fromMicros(cut).toFixed(2)}, by which other charges of the parcel are below the contract`,
    values: {
      ...values,
      ...(typeof fuel === "number" && { fuel: Math.min(fuel, fromMicros(amount)) }),
      billedBelow: fromMicros(cut),
    },
  };
}
