import type { RateComparisonMix } from "@order-operations-hub/sdk/api-types";
import type { Input } from "@order-operations-hub/sdk/client";

type Request = Input<"POST /api/v1/rate-comparisons/{id}/scenarios">["body"];
type Level = NonNullable<NonNullable<NonNullable<Request["rules"]>[number]["serviceLevels"]>>[number];

export const levels: readonly Level[] = [
  "media",
  "economy",
  "ground",
  "three_day",
  "two_day",
  "two_day_am",
  "overnight_saver",
  "overnight",
  "overnight_early",
  "same_day",
];

export type DraftRule = {
  id: string;
  target: string;
  carriers: string;
  level: string;
  zones: string;
  over: string;
  upTo: string;
};

/** A scenario as it is typed; empty: as contracted. */
export type ScenarioDraft = {
  name: string;
  target: string;
  increasePercent: string;
  fuelPercent: string;
  extraDiscountPercent: string;
  dimDivisor: string;
  minimumChange: string;
  surcharges: Record<string, string>;
  rules: DraftRule[];
  /** By target. */
  commitments: { parcels: string; revenue: string }[];
  keepSource: boolean;
};

export function startOf(mix: RateComparisonMix): ScenarioDraft {
  const text = (value: number | null): string => (value === null ? "" : String(value));
  return {
    name: "",
    target: "",
    increasePercent: "",
    fuelPercent: "",
    extraDiscountPercent: "",
    dimDivisor: "",
    minimumChange: "",
    surcharges: {},
    rules: [],
    commitments: mix.targets.map(({ minParcels, minRevenue }) => ({
      parcels: text(minParcels),
      revenue: text(minRevenue),
    })),
    keepSource: false,
  };
}

const terms = ["increasePercent", "fuelPercent", "extraDiscountPercent", "dimDivisor", "minimumChange"] as const;

/** Why the scenario cannot be saved yet. */
export function missingIn(draft: ScenarioDraft): string | undefined {
  if (draft.name.trim() === "") return "Enter a name.";
  const numbers = [
    ...terms.map((name) => draft[name]),
    ...Object.values(draft.surcharges),
    ...draft.rules.flatMap(({ over, upTo }) => [over, upTo]),
    ...draft.commitments.flatMap(({ parcels, revenue }) => [parcels, revenue]),
  ];
  const odd = numbers.find((text) => text.trim() !== "" && Number.isNaN(Number(text)));
  return odd === undefined ? undefined : `${odd} is not a number.`;
}

export function toRequest(draft: ScenarioDraft): Request {
  const given = terms.flatMap((name) => (isEmpty(draft[name]) ? [] : [[name, Number(draft[name])]]));
  const surcharges = Object.entries(draft.surcharges).filter(([, percent]) => !isEmpty(percent));
  const surchargePercents = Object.fromEntries(surcharges.map(([code, percent]) => [code, Number(percent)]));
  const changed = { ...Object.fromEntries(given), ...(surcharges.length > 0 && { surchargePercents }) };
  const hasTerms = Object.keys(changed).length > 0;
  return {
    name: draft.name.trim(),
    ...(hasTerms && { terms: [{ ...(draft.target !== "" && { target: Number(draft.target) }), ...changed }] }),
    ...(draft.rules.length > 0 && { rules: draft.rules.map(toRule) }),
    commitments: draft.commitments.flatMap(({ parcels, revenue }, index) =>
      isEmpty(parcels) && isEmpty(revenue)
        ? []
        : [
            {
              target: index + 1,
              ...(!isEmpty(parcels) && { minParcels: Number(parcels) }),
              ...(!isEmpty(revenue) && { minRevenue: Number(revenue) }),
            },
          ],
    ),
    keepSource: draft.keepSource,
  };
}

function toRule({ target, carriers, level, zones, over, upTo }: DraftRule): NonNullable<Request["rules"]>[number] {
  const names = zones
    .split(/[\s,]+/)
    .map((zone) => zone.trim())
    .filter(Boolean);
  const paid = carriers
    .split(",")
    .map((carrier) => carrier.trim())
    .filter(Boolean);
  const known = levels.find((one) => one === level);
  return {
    target: Number(target),
    ...(paid.length > 0 && { carriers: paid }),
    ...(known && { serviceLevels: [known] }),
    ...(names.length > 0 && { zones: names }),
    ...(!isEmpty(over) && { weightOver: { value: Number(over), unit: "lb" as const } }),
    ...(!isEmpty(upTo) && { weightUpTo: { value: Number(upTo), unit: "lb" as const } }),
  };
}

function isEmpty(text: string): boolean {
  return text.trim() === "";
}
