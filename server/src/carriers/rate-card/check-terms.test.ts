import { expect, test } from "vitest";
import { createRandom } from "../../testing/random-parcels.ts";
import { randomContract } from "../../testing/random-contracts.ts";
import type { RateCard } from "./card.schemas.ts";
import { checkCard } from "./check-card.ts";

const service = {
  code: "GND",
  level: "ground" as const,
  weightBreaks: [{ upTo: 1 }, { upTo: 5 }],
  rates: { "2": [10, 12], "3": [11, 13] },
};
const card: RateCard = { name: "Terms", effectiveFrom: "2026-01-01", zoneScheme: "ups", services: [service] };
const surcharge = { code: "A", kind: "fixed" as const, amount: 1 };
const fuel = { percent: 10, appliesTo: "base_net" as const };
const day = (from: string) => ({ from });
const withService = (terms: object): object => ({ ...card, services: [{ ...service, ...terms }] });

/** Each mistake with the place and code of its error. */
const mistakes: [what: string, card: object, errors: string[]][] = [
  ["fuel for no service", { ...card, fuelByService: [fuel] }, ["/fuelByService/0 required"]],
  [
    "fuel for an unknown service",
    { ...card, fuelByService: [{ ...fuel, services: ["AIR"] }] },
    ["/fuelByService/0/services unknown_service"],
  ],
  [
    "fuel with neither percentage nor table",
    { ...card, fuelByService: [{ mode: "air", appliesTo: "base_net" }] },
    ["/fuelByService/0 one_of"],
  ],
  [
    "divisors that do not ascend",
    withService({
      dim: {
        divisor: 139,
        tiers: [1728, 1000].map((upToVolume) => ({ upToVolume, divisor: 166 })),
        dated: ["2026-05-01", "2026-05-01"].map((from) => ({ ...day(from), divisor: 150 })),
      },
    }),
    ["/services/0/dim/tiers/1/upToVolume not_ascending", "/services/0/dim/dated/1/from not_ascending"],
  ],
  [
    "volume prices for other zones, too few of them, and too fine",
    withService({ cubic: { tiers: [0.2, 0.1], rates: { "2": [1], "9": [1, 1.00001] } } }),
    [
      "/services/0/cubic/tiers/1 not_ascending",
      "/services/0/cubic/rates unknown_zone",
      "/services/0/cubic/rates/2 cell_count",
      "/services/0/cubic/rates/9/1 more_than_four_decimals",
    ],
  ],
  [
    "hundredweight without zones and with a minimum below a cent",
    withService({ hundredweight: { weightFrom: [200], rates: {}, minimum: 1.005 } }),
    ["/services/0/hundredweight/rates minProperties", "/services/0/hundredweight/minimum more_than_cents"],
  ],
  [
    "tiers without the revenue of the week, and beside a percentage",
    withService({ discounts: [{ percent: 5, tiers: [{ revenueFrom: 0, percent: 5 }] }] }),
    ["/services/0/discounts/0 one_of", "/weeklyRevenue required"],
  ],
  [
    "zones with names that have no price",
    withService({ zoneNames: { "2": "202" } }),
    ["/services/0/zoneNames unknown_zone"],
  ],
  [
    "a reduction of a fixed minimum",
    withService({ minimum: { amount: 5, reductionPercent: 10 } }),
    ["/services/0/minimum/reductionPercent unused"],
  ],
  [
    "a volume that is not given, and one that never occurs",
    { ...card, surcharges: [{ ...surcharge, when: { weeklyPiecesOver: 10, weeklyPiecesUpTo: 10 } }] },
    ["/surcharges/0/when/weeklyPiecesOver no_volume", "/surcharges/0/when/weeklyPiecesOver never"],
  ],
  [
    "a surcharge that requires itself, an unknown one, or a chain",
    {
      ...card,
      surcharges: [
        { ...surcharge, when: { requiresAny: ["A", "X"] } },
        { ...surcharge, code: "B", when: { requires: "A", requiresAny: ["A"] } },
      ],
    },
    [
      "/surcharges/0/when/requiresAny unknown_surcharge",
      "/surcharges/0/when/requiresAny unknown_surcharge",
      "/surcharges/1/when/requiresAny one_of",
      "/surcharges/1/when/requiresAny chained",
    ],
  ],
  [
    "exceptions to no place, to wrong places, and to a zone without prices",
    {
      ...card,
      zoneExceptions: [
        { zone: "2" },
        { destinations: ["998-995"], destinationStates: ["XX"], zone: "44" },
        { destinations: ["995"], services: ["AIR"], zone: null },
      ],
    },
    [
      "/zoneExceptions/0 required",
      "/zoneExceptions/1/destinations/0 zip_range",
      "/zoneExceptions/1/destinationStates/0 unknown_state",
      "/zoneExceptions/1/zone unknown_zone",
      "/zoneExceptions/2/services unknown_service",
    ],
  ],
  ["an unknown field", withService({ cubik: {} }), ["/services/0/cubik unknown_field"]],
];

test.each(mistakes)("%s: refused with place and reason", (_, wrong, errors) => {
  expect(checkCard(wrong).map(({ pointer, code }) => `${pointer} ${code}`)).toEqual(errors);
});

test("contracts that use every term are valid", () => {
  for (let seed = 1; seed <= 20; seed++) expect(checkCard(randomContract(createRandom(seed)))).toEqual([]);
});
