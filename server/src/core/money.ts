/** Money is counted in whole cents; decimals exist only on the wire. */
export function toCents(amount: number): number {
  return Math.round(amount * 100);
}

export function fromCents(cents: number): number {
  return cents / 100;
}

/** An amount with decimals, without what adding and multiplying leave behind the cents. */
export function roundToCents(amount: number): number {
  return fromCents(toCents(amount));
}

export function formatCents(cents: number): string {
  const text = String(Math.abs(cents)).padStart(3, "0");
  return `${cents < 0 ? "-" : ""}${text.slice(0, -2)}.${text.slice(-2)}`;
}

/** Percentages as whole millionths of the whole, so that products with cents are exact. */
export function toPpm(percent: number): number {
  return Math.round(percent * 10_000);
}

const whole = 1_000_000;

/** A share of a share of a share, rounded once, at the end: 25 % off a fuel of 18.5 % is not first made a rate of its own. */
export function shareOfShares(cents: number, ppm: number, ofPpm: number, ofThatPpm = whole): number {
  if (ofPpm === whole && ofThatPpm === whole) return shareOf(cents, ppm);
  const amount = Math.abs(cents);
  const doubled = 2 * amount * ppm * ofPpm;
  const isSmall = ofThatPpm === whole && doubled < Number.MAX_SAFE_INTEGER - square;
  const share = isSmall ? roundedShare(doubled) : largeShare(amount, ppm, ofPpm, ofThatPpm);
  return cents < 0 ? -share : share;
}

const square = whole ** 2;

/** Plain numbers are several times faster, and exact so far. */
function roundedShare(doubled: number): number {
  const up = doubled + square;
  return (up - (up % (2 * square))) / (2 * square);
}

function largeShare(cents: number, ppm: number, ofPpm: number, ofThatPpm: number): number {
  const all = BigInt(cents) * BigInt(ppm) * BigInt(ofPpm) * BigInt(ofThatPpm);
  const one = BigInt(whole) ** 3n;
  return Number((2n * all + one) / (2n * one));
}

/** A share of an amount, rounded half up to the cent; negative amounts are rounded like their positive twin. */
export function shareOf(cents: number, ppm: number): number {
  const share = Math.floor((Math.abs(cents) * ppm + 500_000) / 1_000_000);
  return cents < 0 ? -share : share;
}
