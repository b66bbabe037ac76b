import type { RateCard } from "@order-operations-hub/sdk/api-types";
import { isDate } from "../../ui/calendar.ts";
import type { Read } from "./card-lines.ts";
import { linesOf, numberOf, termsIn } from "./card-lines.ts";

type Service = RateCard["services"][number];
type Discount = NonNullable<Service["discounts"]>[number];
type Revenue = NonNullable<RateCard["weeklyRevenue"]>;

/** Tiers of a service as text, as they are edited. */
export type TierDraft = {
  cubic: string;
  cubicWeight: string;
  cubicLength: string;
  hundredweight: string;
  hundredweightDiscount: string;
  hundredweightMinimum: string;
  earned: string;
  multiPiece: string;
};

type PriceTiers = { limits: number[]; rates: Record<string, (number | null)[]> };

/** A line with the zones, then one for each tier: "zones 2 8", "0.1 6.50 7.25". A dash: no price. */
function readPriceTiers(text: string, zones: readonly string[]): Read<PriceTiers> {
  const [first, ...lines] = linesOf(text).map((line) => line.split(/[\s,;]+/));
  if (!first) return { terms: undefined };
  const [word = "", ...names] = first;
  if (!/^zones?:?$/i.test(word) || names.length === 0)
    return { wrong: `The first line has the zones, such as zones ${zones.slice(0, 2).join(" ")}.` };
  const unknown = names.find((name) => !zones.includes(name));
  if (unknown !== undefined) return { wrong: `The service has no prices by weight for zone ${unknown}.` };
  if (new Set(names).size < names.length) return { wrong: "A zone stands twice in the first line." };
  const rows = lines.map(([limit = "", ...prices]) => ({
    limit: numberOf(limit),
    prices: prices.map((price) => (price === "-" ? null : numberOf(price))),
  }));
  const at = rows.findIndex(
    ({ limit, prices }) =>
      !(limit > 0) || prices.length !== names.length || prices.some((price) => Number.isNaN(price)),
  );
  if (at >= 0) return { wrong: `“${lines[at]!.join(" ")}” is not a limit and one price for each zone.` };
  if (rows.length === 0) return { wrong: "Below the zones, a line for each tier is missing." };
  rows.sort((one, other) => one.limit - other.limit);
  const limits = rows.map(({ limit }) => limit);
  if (new Set(limits).size < limits.length) return { wrong: "A limit stands twice." };
  const rates = Object.fromEntries(names.map((name, index) => [name, rows.map(({ prices }) => prices[index]!)]));
  return { terms: { limits, rates } };
}

function priceLines(limits: readonly number[], rates: PriceTiers["rates"]): string {
  const zones = Object.keys(rates);
  const rows = limits.map((limit, at) => [limit, ...zones.map((zone) => rates[zone]?.[at] ?? "-")].join(" "));
  return [`zones ${zones.join(" ")}`, ...rows].join("\n");
}

/** Lines of weekly revenue and percentage: "5000 10". */
function readEarned(text: string): Read<NonNullable<Discount["tiers"]>> {
  const lines = linesOf(text);
  if (lines.length === 0) return { terms: undefined };
  const tiers = lines.map((line) => {
    const [from = "", percent = "", ...more] = line.replace(/\s*%$/, "").split(/[\s;]+/);
    return { revenueFrom: numberOf(from), percent: more.length === 0 ? numberOf(percent) : Number.NaN };
  });
  const at = tiers.findIndex(({ revenueFrom, percent }) => !(revenueFrom >= 0 && percent <= 100));
  if (at >= 0) return { wrong: `“${lines[at]}” is not a weekly revenue and a percentage, such as 5000 10.` };
  tiers.sort((one, other) => one.revenueFrom - other.revenueFrom);
  const isTwice = tiers.some((tier, index) => tier.revenueFrom === tiers[index - 1]?.revenueFrom);
  return isTwice ? { wrong: "A weekly revenue stands twice." } : { terms: tiers };
}

/** Lines of day and amount: "2026-01-01 12000". */
export function readRevenue(text: string): Read<Revenue> {
  const lines = linesOf(text);
  if (lines.length === 0) return { terms: undefined };
  const table = lines.map((line) => {
    const [from = "", amount = "", ...more] = line.split(/[\s;]+/);
    return { from, amount: more.length === 0 ? numberOf(amount) : Number.NaN };
  });
  const at = table.findIndex(({ from, amount }) => !isDate(from) || Number.isNaN(amount));
  if (at >= 0) return { wrong: `“${lines[at]}” is not a date and an amount, such as 2026-01-05 12000.` };
  table.sort((one, other) => (one.from < other.from ? -1 : 1));
  const isTwice = table.some((row, index) => row.from === table[index - 1]?.from);
  return isTwice ? { wrong: "A day stands twice." } : { terms: table };
}

export const revenueLines = (table: Revenue = []): string =>
  table.map(({ from, amount }) => `${from} ${amount}`).join("\n");

const weightPattern = /^(\d+(?:\.\d+)?)\s*(lb|oz|kg|g)?$/i;
type Weight = NonNullable<NonNullable<Service["cubic"]>["maxWeight"]>;
const textOf = (value: number | undefined): string => (value === undefined ? "" : String(value));

export function tiersOf({ cubic, hundredweight, discounts = [], multiPiece }: Service): TierDraft {
  const { maxWeight, maxLength } = cubic ?? {};
  const earned = discounts.find(({ tiers }) => tiers)?.tiers ?? [];
  return {
    cubic: cubic ? priceLines(cubic.tiers, cubic.rates) : "",
    cubicWeight: maxWeight ? `${maxWeight.value} ${maxWeight.unit}` : "",
    cubicLength: textOf(maxLength),
    hundredweight: hundredweight ? priceLines(hundredweight.weightFrom, hundredweight.rates) : "",
    hundredweightDiscount: textOf(hundredweight?.discountPercent),
    hundredweightMinimum: textOf(hundredweight?.minimum),
    earned: earned.map(({ revenueFrom, percent }) => `${revenueFrom} ${percent}`).join("\n"),
    multiPiece: multiPiece ?? "each",
  };
}

const given = <Key extends string>(key: Key, text: string): { [key in Key]?: number } =>
  text.trim() === "" ? {} : ({ [key]: numberOf(text.trim()) } as { [key in Key]: number });

/** The service with these tiers. What the form does not show stays. */
export function withTiers(service: Service, draft: TierDraft): Service {
  const { cubic: cubicBefore, hundredweight: hundredsBefore, discounts: before, multiPiece: pieces, ...rest } = service;
  const zones = Object.keys(service.rates);
  const cubic = termsIn(readPriceTiers(draft.cubic, zones));
  const { maxWeight: _weight, maxLength: _length, ...otherCubic } = cubicBefore ?? {};
  const [, weight, unit = "lb"] = weightPattern.exec(draft.cubicWeight.trim()) ?? [];
  const hundreds = termsIn(readPriceTiers(draft.hundredweight, zones));
  const { discountPercent: _discount, minimum: _minimum, ...otherHundreds } = hundredsBefore ?? {};
  const discounts = withEarned(before, termsIn(readEarned(draft.earned)));
  return {
    ...rest,
    ...(cubic && {
      cubic: {
        ...otherCubic,
        tiers: cubic.limits,
        rates: cubic.rates,
        ...(weight && { maxWeight: { value: Number(weight), unit: unit.toLowerCase() as Weight["unit"] } }),
        ...given("maxLength", draft.cubicLength),
      },
    }),
    ...(hundreds && {
      hundredweight: {
        ...otherHundreds,
        weightFrom: hundreds.limits,
        rates: hundreds.rates,
        ...given("discountPercent", draft.hundredweightDiscount),
        ...given("minimum", draft.hundredweightMinimum),
      },
    }),
    ...(discounts && { discounts }),
    ...(draft.multiPiece === "total" ? { multiPiece: "total" as const } : pieces === "each" && { multiPiece: pieces }),
  };
}

/** The first discount with tiers is the one in the form. */
function withEarned(discounts: Discount[] | undefined, tiers: Discount["tiers"]): Discount[] | undefined {
  const all = discounts ?? [];
  const at = all.findIndex((one) => one.tiers);
  if (at === -1) return tiers ? [...all, { tiers }] : discounts;
  const next = all.flatMap((one, index) => (index !== at ? [one] : tiers ? [{ ...one, tiers }] : []));
  return next.length > 0 ? next : undefined;
}

/** What is wrong with the tiers, by field. */
export function wrongTiers(draft: TierDraft, zones: readonly string[]): [field: keyof TierDraft, message: string][] {
  const problem = (read: Read<unknown>): string | undefined => ("wrong" in read ? read.wrong : undefined);
  const isNumber = (text: string): boolean => text.trim() === "" || numberOf(text.trim()) >= 0;
  const whole = termsIn(readPriceTiers(draft.hundredweight, zones))?.limits.every(Number.isInteger) ?? true;
  const found: [keyof TierDraft, string | false | undefined][] = [
    ["cubic", problem(readPriceTiers(draft.cubic, zones))],
    [
      "cubicWeight",
      draft.cubicWeight.trim() !== "" &&
        !weightPattern.test(draft.cubicWeight.trim()) &&
        "Enter a weight, such as 20 lb.",
    ],
    ["cubicLength", !isNumber(draft.cubicLength) && "Enter a length in inches, such as 18."],
    ["hundredweight", problem(readPriceTiers(draft.hundredweight, zones)) ?? (!whole && "Enter whole weights.")],
    [
      "hundredweightDiscount",
      !(isNumber(draft.hundredweightDiscount) && Number(draft.hundredweightDiscount) <= 100) &&
        "Enter a percentage from 0 to 100.",
    ],
    ["hundredweightMinimum", !isNumber(draft.hundredweightMinimum) && "Enter an amount, such as 40."],
    ["earned", problem(readEarned(draft.earned))],
  ];
  return found.flatMap(([field, message]) => (message ? [[field, message] as [keyof TierDraft, string]] : []));
}
