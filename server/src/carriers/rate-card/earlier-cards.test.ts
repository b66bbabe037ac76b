import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { createRandom, randomCard, randomItems } from "../../testing/random-parcels.ts";
import { demoCards } from "../demo/demo-cards.ts";
import type { RateCard } from "./card.schemas.ts";
import { checkCard } from "./check-card.ts";
import { quoteService } from "./quote.ts";
import { createTariff } from "./tariff.ts";

/**
 * Prices of cards without the terms added later: how many quotes, their sum in cents, and a digest of every line and refusal. The
 * numbers were recorded before these terms existed and may not change.
 */
const recorded: [name: string, prices: number, cents: number, digest: string][] = [
  ["Demo Postal", 496, 3_418_234, "7698afe9e6bf5a76"],
  ["Demo National", 988, 16_050_318, "0fe46080ae0bded0"],
  ["Demo Express", 1016, 17_012_538, "31877b3ba9915a67"],
  ["Demo Regional", 44, 110_030, "104d70f0e4f80521"],
  ["random 1", 504, 2_424_977, "7a0f81840753d488"],
  ["random 2", 505, 2_276_585, "5d6ef367424c2fc6"],
  ["random 3", 509, 2_168_715, "8650ef2444045554"],
  ["random 4", 496, 2_178_308, "eaee27dce5b241b6"],
  ["random 5", 513, 2_043_497, "5348c23f338da9d4"],
  ["random 6", 504, 1_922_491, "9e74899afb704c7b"],
];

const cards = new Map<string, RateCard>([
  ...demoCards().map(({ account, card }) => [account, card] as const),
  ...[1, 2, 3, 4, 5, 6].map((seed) => [`random ${seed}`, randomCard(createRandom(seed))] as const),
]);

/** The price of 300 parcels with every service of a card. */
function rateAll(card: RateCard, seed: number): { prices: number; cents: number; digest: string } {
  const tariff = createTariff(card, () => undefined);
  const hash = createHash("sha256");
  let [prices, cents] = [0, 0];
  for (const item of randomItems(createRandom(seed), 300)) {
    for (const service of tariff.card.services) {
      const quote = quoteService(tariff, service, {
        origin: { zip: item.originZip },
        destination: { zip: item.destinationZip },
        weight: item.weight!,
        dimensions: item.dimensions,
        residential: item.residential,
        shipDate: item.shipDate ?? "2026-03-15",
      });
      if ("reason" in quote) hash.update(`${quote.reason}\n`);
      else {
        prices++;
        cents += Math.round(quote.total * 100);
        const { zone, weight, lines } = quote;
        hash.update(`${JSON.stringify([zone, weight, lines.map(({ code, amount }) => [code, amount])])}\n`);
      }
    }
  }
  return { prices, cents, digest: hash.digest("hex").slice(0, 16) };
}

test.each(recorded)("%s costs what it did", (name, prices, cents, digest) => {
  const card = cards.get(name)!;
  expect(checkCard(card)).toEqual([]);
  expect(rateAll(card, name.length)).toEqual({ prices, cents, digest });
});
