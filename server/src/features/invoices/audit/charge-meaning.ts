import type { CompiledCard, CompiledSurcharge } from "../../../carriers/rate-card/compile-card.ts";

/** What a surcharge is for, by the words that carriers use for it. The first that fits counts: "Peak Residential" is peak. */
const meanings: [name: string, words: RegExp][] = [
  ["peak", /\b(peak|demand|holiday)\b/],
  ["delivery_area", /\b(das|edas|rdas|delivery area|extended area|remote area|rural)\b/],
  ["additional_handling", /\b(additional handling|ahc?|ahs)\b/],
  ["over_maximum", /\b(over max(imum)?|unauthorized)\b/],
  ["large_package", /\b(large|oversize|lps)\b/],
  ["residential", /\b(residential|resi?|home delivery)\b/],
  ["address_correction", /\b(address correction|adc)\b/],
  ["signature", /\b(signature|adult sig)\b/],
  ["saturday", /\bsaturday\b/],
  ["declared_value", /\b(declared value|insurance|insured|insure)\b/],
];

export const residentialKey = "residential";

function fold(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

function meaningOf(text: string): string | undefined {
  const folded = fold(text);
  return meanings.find(([, words]) => words.test(folded))?.[0];
}

/** The surcharges of a contract by the key under which billed and expected amounts are compared. */
export type ChargeKeys = {
  /** By key: codes of a contract can share one, such as two tiers of additional handling. */
  surcharges: ReadonlyMap<string, readonly CompiledSurcharge[]>;
  keyOf(line: { code: string | null; description: string }): string;
  keyOfCode(code: string): string;
};

/** A billed surcharge is that of the contract with its code or label as its name, else the one with the same meaning. */
export function chargeKeysOf(card: CompiledCard | undefined): ChargeKeys {
  const surcharges = new Map<string, CompiledSurcharge[]>();
  const byName = new Map<string, string>();
  const byCode = new Map<string, string>();
  for (const surcharge of card?.surcharges ?? []) {
    const { code, label } = surcharge;
    const key = meaningOf(label) ?? meaningOf(code) ?? fold(code);
    surcharges.set(key, [...(surcharges.get(key) ?? []), surcharge]);
    byCode.set(code, key);
    for (const name of [code, label]) if (!byName.has(fold(name))) byName.set(fold(name), key);
  }
  const named = new Map<string, string>();
  return {
    surcharges,
    keyOf({ code, description }) {
      const name = `${code ?? ""}\u001F${description}`;
      let key = named.get(name);
      if (key === undefined) {
        key =
          (code === null ? undefined : byName.get(fold(code))) ??
          byName.get(fold(description)) ??
          meaningOf(description) ??
          (code === null ? undefined : meaningOf(code)) ??
          fold(description);
        if (named.size < 10_000) named.set(name, key);
      }
      return key;
    },
    keyOfCode: (code) => byCode.get(code) ?? code,
  };
}
