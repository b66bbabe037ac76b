import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { contractFeatures } from "../../testing/contract-features.ts";
import type { ContractPrice } from "../../testing/contract-rater.ts";
import { contractPrices } from "../../testing/contract-rater.ts";
import type { ContractShipment } from "../../testing/random-contracts.ts";
import { randomContract, randomShipment } from "../../testing/random-contracts.ts";
import { createRandom } from "../../testing/random-parcels.ts";
import { checkCard } from "./check-card.ts";
import { toMg, toSides } from "./measures.ts";
import { isRefusal } from "./price.ts";
import { priceShipment } from "./price-shipment.ts";
import { tripOf } from "./quote.ts";
import type { Tariff } from "./tariff.ts";
import { createTariff, situationOf, zoneOf } from "./tariff.ts";

// The long form, 100,000 parcels on 50 cards: CONTRACT_PARCELS=100000 npm test -- contract-oracle
const cardCount = 50;
/** Each term has to decide a price on so many of the cards, or agreeing on them means little. */
const cardsPerFeature = 5;
const parcelCount = Number(process.env["CONTRACT_PARCELS"] ?? 5_000);

/** The prices of the hub in the form of the other rater. */
function ourPrices(tariff: Tariff, code: string, shipment: ContractShipment): ContractPrice[] {
  const { originZip, destinationZip, residential, shipDate, parcels } = shipment;
  const service = tariff.card.services.find((one) => one.code === code)!;
  const [origin, destination] = [{ zip: originZip }, { zip: destinationZip }];
  const found = zoneOf(tariff, origin, destination, service);
  if ("reason" in found) return parcels.map(() => ({ reason: found.reason }));
  const situation = situationOf(tariff, service, tripOf(found.zone, { origin, destination, residential, shipDate }));
  if (isRefusal(situation)) return parcels.map(() => ({ reason: situation.reason }));
  const measured = parcels.map(({ weight, dimensions }) => ({
    weightMg: toMg(weight),
    sides: dimensions && toSides(dimensions),
  }));
  return priceShipment(situation, measured).map((price) =>
    isRefusal(price)
      ? { reason: price.reason }
      : { zone: found.zone, lines: Object.fromEntries(price.lines.map((line) => [line.code, line.cents])) },
  );
}

test(`a rater that shares no code agrees on ${parcelCount} parcels of ${cardCount} random contracts`, () => {
  const seen = new Set<string>();
  const cardsWhereItDecides = Object.fromEntries(contractFeatures.map(({ name }) => [name, 0]));
  let [parcels, priced] = [0, 0];
  for (let seed = 1; seed <= cardCount; seed++) {
    const random = createRandom(seed);
    const card = randomContract(random);
    expect(checkCard(card)).toEqual([]);
    const tariff = createTariff(card, () => undefined);
    let undecided = contractFeatures
      .map(({ name, without }) => ({ name, plain: without(card) }))
      .filter(({ plain }) => JSON.stringify(plain) !== JSON.stringify(card));
    while (parcels < (parcelCount / cardCount) * seed) {
      const shipment = randomShipment(random);
      const { code } = random.pick(card.services);
      const ours = ourPrices(tariff, code, shipment);
      const theirs = contractPrices(card, code, shipment);
      expect({ seed, code, shipment, prices: ours }).toEqual({ seed, code, shipment, prices: theirs });
      undecided = undecided.filter(({ name, plain }) => {
        if (isDeepStrictEqual(contractPrices(plain, code, shipment), theirs)) return true;
        cardsWhereItDecides[name]!++;
        return false;
      });
      parcels += ours.length;
      for (const price of ours) {
        if ("reason" in price) seen.add(price.reason);
        else {
          priced++;
          for (const line of Object.keys(price.lines)) seen.add(line);
          if (price.lines.base === undefined) seen.add("charged with the first parcel");
        }
      }
    }
  }
  // Every kind of line and refusal occurs, so that agreeing means something.
  const codes = "RES LONG HEAVY PEAK_SIZE PEAK_ANY BUSY BUSIER POUNDS PICKUP".split(" ");
  const lines = ["base", "discount", "minimum", "fuel", "charged with the first parcel", ...codes];
  expect([...lines, "over_limit", "no_rate_cell", "not_serviceable"].filter((name) => !seen.has(name))).toEqual([]);
  expect(Object.entries(cardsWhereItDecides).filter(([, cards]) => cards < cardsPerFeature)).toEqual([]);
  expect(priced / parcels).toBeGreaterThan(0.6);
}, 900_000);
