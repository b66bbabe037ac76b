/** The closest of `candidates` to a mistyped name, or undefined when none is close enough to be meant. */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  const wanted = name.slice(0, 64).toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best ?? onlyOneWith(wanted, candidates);
}

/** For an error about something that is none of these: all of them, and the one that was probably meant. */
export function alternatives(
  given: unknown,
  allowed: readonly unknown[],
): { allowed: readonly unknown[]; suggestion?: string } {
  if (typeof given !== "string") return { allowed };
  const suggestion = nearestName(
    given,
    allowed.filter((name) => typeof name === "string"),
  );
  return suggestion === undefined ? { allowed } : { allowed, suggestion };
}

/** The same word in any spelling: shipping_address, "Shipping address" and shippingAddress. */
export function foldName(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

const shortestPart = 4;

/** `address` for `pickupAddress`, or the other way round, if no other name has it in common. */
function onlyOneWith(part: string, candidates: readonly string[]): string | undefined {
  if (part.length < shortestPart) return undefined;
  const found = candidates.filter((candidate) => {
    const whole = candidate.toLowerCase();
    return whole.includes(part) || (whole.length >= shortestPart && part.includes(whole));
  });
  return found.length === 1 ? found[0] : undefined;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
