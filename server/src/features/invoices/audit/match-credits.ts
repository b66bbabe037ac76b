import { tolerance } from "./billed-parcel.ts";
import type { CreditableFinding, CreditedFinding } from "./save-findings.store.ts";

/**
 * Assigns the credits of a parcel to its findings, in the order of the list: first each credit to the finding of the same amount,
 * then what is left until it is used up. Returns the findings that change. A finding is settled when all of it is credited, and open
 * again when credits that had settled it are gone.
 */
export function matchCredits(credits: readonly number[], findings: readonly CreditableFinding[]): CreditedFinding[] {
  const assigned = new Map<string, number>();
  let rest = 0;
  for (const credit of credits) {
    const equal = findings.find(({ id, amount }) => !assigned.has(id) && Math.abs(amount - credit) <= tolerance);
    if (equal) assigned.set(equal.id, Math.min(credit, equal.amount));
    else rest += credit;
  }
  for (const { id, amount } of findings) {
    const part = assigned.has(id) ? 0 : Math.min(amount, rest);
    if (part <= 0) continue;
    assigned.set(id, part);
    rest -= part;
  }
  return findings.flatMap(({ id, amount, credited, state }) => {
    const now = assigned.get(id) ?? 0;
    const covers = (micros: number): boolean => micros > 0 && micros >= amount - tolerance;
    const isSettled = state !== "credited" && covers(now);
    // A finding that a user set to credited has no credits that could go.
    const isReopened = state === "credited" && covers(credited) && !covers(now);
    return now === credited && !isSettled ? [] : [{ id, credited: now, isSettled, ...(isReopened && { isReopened }) }];
  });
}
