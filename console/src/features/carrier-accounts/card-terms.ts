import type { RateCard } from "@order-operations-hub/sdk/api-types";
import { isDate } from "../../ui/calendar.ts";
import type { Read } from "./card-lines.ts";
import { linesOf, numberOf, termsIn } from "./card-lines.ts";
import type { TierDraft } from "./card-tiers.ts";
import { readRevenue, revenueLines, tiersOf, withTiers, wrongTiers } from "./card-tiers.ts";

type Service = RateCard["services"][number];
type Fuel = NonNullable<RateCard["fuel"]>;
type ServiceFuel = NonNullable<RateCard["fuelByService"]>[number];
type FuelTerms = Pick<Fuel, "percent" | "table">;
type Surcharge = NonNullable<RateCard["surcharges"]>[number];

/** A surcharge between two days, such as a peak season. */
export type PeakDraft = { code: string; label: string; amount: string; from: string; to: string };
export type ServiceDraft = {
  code: string;
  /** The zones that the service has prices by weight for. */
  zones: readonly string[];
  fuel: string;
  dim: string;
  minimum: string;
  reduction: string;
  tiers: TierDraft;
};

/** Terms of a card as text, as they are edited. Prices by weight and zone stay as they are. */
export type TermsDraft = {
  name: string;
  effectiveFrom: string;
  fuel: string;
  weeklyRevenue: string;
  services: ServiceDraft[];
  peaks: PeakDraft[];
};

/** "14.5", or a line for each change: "2026-01-05 18.25". */
export function readFuel(text: string): Read<FuelTerms> {
  const lines = linesOf(text);
  if (lines.length === 0) return { terms: undefined };
  const isPercent = (value: number): boolean => value >= 0 && value <= 100;
  const only = lines.length === 1 ? numberOf(lines[0]!.replace(/\s*%$/, "")) : Number.NaN;
  if (isPercent(only)) return { terms: { percent: only } };
  const table = lines.map((line) => {
    const [from = "", percent = "", ...more] = line.replace(/\s*%$/, "").split(/[\s,;]+/);
    return { from, percent: more.length === 0 ? numberOf(percent) : Number.NaN };
  });
  const at = table.findIndex(({ from, percent }) => !isDate(from) || !isPercent(percent));
  if (at >= 0) return { wrong: `“${lines[at]}” is not a date and a percentage, such as 2026-01-05 18.25.` };
  return { terms: { table: table.toSorted((one, other) => (one.from < other.from ? -1 : 1)) } };
}

const fuelLines = ({ percent, table }: FuelTerms = {}): string =>
  table ? table.map((row) => `${row.from} ${row.percent}`).join("\n") : percent === undefined ? "" : String(percent);

type Dim = NonNullable<Service["dim"]>;
type DivisorTerms = Pick<Dim, "divisor" | "tiers">;
type DimTerms = DivisorTerms & { dated?: Array<DivisorTerms & { from: string }> };

const fromLine = /^from\s+(\S+)$/i;

/**
 * "139", or lines of volume and divisor for smaller parcels before it: "1728 194". After a line "from 2026-05-01" stand the terms
 * from that day on.
 */
export function readDim(text: string): Read<DimTerms> {
  const lines = linesOf(text);
  const starts = lines.flatMap((line, at) => (fromLine.test(line) ? [at] : []));
  const read = readDivisors(lines.slice(0, starts[0] ?? lines.length));
  if ("wrong" in read) return read;
  if (read.terms === undefined) {
    return starts.length === 0 ? read : { wrong: "Before the first day stand the terms until then, such as 139." };
  }
  const dated: NonNullable<DimTerms["dated"]> = [];
  for (const [index, at] of starts.entries()) {
    const from = fromLine.exec(lines[at]!)![1]!;
    if (!isDate(from)) return { wrong: `“${lines[at]}” has no date, such as from 2026-05-01.` };
    if (dated.some((one) => one.from === from)) return { wrong: `${from} stands twice.` };
    const later = readDivisors(lines.slice(at + 1, starts[index + 1] ?? lines.length));
    if ("wrong" in later) return later;
    if (later.terms === undefined) return { wrong: `After “${lines[at]}” a divisor is missing, such as 139.` };
    dated.push({ from, ...later.terms });
  }
  if (dated.length === 0) return read;
  return { terms: { ...read.terms, dated: dated.toSorted((one, other) => (one.from < other.from ? -1 : 1)) } };
}

function readDivisors(given: readonly string[]): Read<DivisorTerms> {
  const lines = [...given];
  const last = lines.pop();
  if (last === undefined) return { terms: undefined };
  const divisor = numberOf(last);
  if (!(divisor >= 1)) return { wrong: "The last line is the divisor of all larger parcels, such as 139." };
  const tiers = lines.map((line) => {
    const [volume = "", own = "", ...more] = line.split(/[\s,;]+/);
    return { upToVolume: numberOf(volume), divisor: more.length === 0 ? numberOf(own) : Number.NaN };
  });
  const at = tiers.findIndex((tier) => !(tier.upToVolume > 0 && tier.divisor >= 1));
  if (at >= 0) return { wrong: `“${lines[at]}” is not a volume and a divisor, such as 1728 194.` };
  if (tiers.length === 0) return { terms: { divisor } };
  return { terms: { divisor, tiers: tiers.toSorted((one, other) => one.upToVolume - other.upToVolume) } };
}

const divisorLines = ({ divisor, tiers = [] }: DivisorTerms): string[] => [
  ...tiers.map(({ upToVolume, divisor: own }) => `${upToVolume} ${own}`),
  String(divisor),
];

const dimLines = (dim: DimTerms | undefined): string =>
  dim
    ? [
        ...divisorLines(dim),
        ...(dim.dated ?? []).flatMap((later) => [`from ${later.from}`, ...divisorLines(later)]),
      ].join("\n")
    : "";

/** Only a fixed amount between two days can be edited here. */
const isPeak = ({ kind, amount, amountByZone, when }: Surcharge): boolean =>
  kind === "fixed" && amount !== undefined && !amountByZone && when?.from !== undefined && when.to !== undefined;

const groundLevels = new Set<string>(["media", "economy", "ground"]);

/** As the hub chooses it: the first entry whose services and mode include the service. */
function isFuelOf({ services, mode }: ServiceFuel, { code, level }: Pick<Service, "code" | "level">): boolean {
  if (services && !services.includes(code)) return false;
  return mode === undefined || mode === (groundLevels.has(level) ? "ground" : "air");
}

const ownFuel = (card: RateCard, code: string): ServiceFuel | undefined => {
  const service = card.services.find((one) => one.code === code);
  return service && card.fuelByService?.find((fuel) => isFuelOf(fuel, service));
};

export function draftOf(card: RateCard): TermsDraft {
  return {
    name: card.name,
    effectiveFrom: card.effectiveFrom,
    fuel: fuelLines(card.fuel),
    weeklyRevenue: revenueLines(card.weeklyRevenue),
    services: card.services.map((service) => draftOfService(card, service)),
    peaks: (card.surcharges ?? []).filter(isPeak).map(({ code, label = "", amount, when }) => ({
      code,
      label,
      amount: String(amount),
      from: when?.from ?? "",
      to: when?.to ?? "",
    })),
  };
}

function draftOfService(card: RateCard, service: Service): ServiceDraft {
  const { code, rates, dim, minimum } = service;
  return {
    code,
    zones: Object.keys(rates),
    fuel: fuelLines(ownFuel(card, code)),
    dim: dimLines(dim),
    minimum: minimum?.amount === undefined ? "" : String(minimum.amount),
    reduction: minimum?.reduction === undefined ? "" : String(minimum.reduction),
    tiers: tiersOf(service),
  };
}

/** The fuel with another rate. Without one before, it is a share of the discounted price. */
function fuelWith(before: Fuel | undefined, text: string): Fuel | undefined {
  const terms = termsIn(readFuel(text));
  if (!terms) return undefined;
  const { percent: _percent, table: _table, ...rest } = before ?? { appliesTo: "base_net" as const };
  return { ...rest, ...terms };
}

function serviceWith(service: Service, draft: ServiceDraft): Service {
  const { dim, minimum, ...rest } = withTiers(service, draft.tiers);
  const terms = termsIn(readDim(draft.dim));
  const { divisor: _divisor, tiers: _tiers, dated: before = [], ...otherDim } = dim ?? { divisor: 0 };
  // The form shows no thresholds: an entry of the same day keeps its own.
  const dated = terms?.dated?.map((later) => {
    const { divisor: _old, tiers: _oldTiers, ...others } = before.find(({ from }) => from === later.from) ?? later;
    return { ...others, ...later };
  });
  const { amount: _amount, reduction: _reduction, ...otherMinimum } = minimum ?? {};
  const nextMinimum = {
    ...otherMinimum,
    ...(draft.minimum.trim() === "" ? {} : { amount: numberOf(draft.minimum.trim()) }),
    ...(draft.reduction.trim() === "" ? {} : { reduction: numberOf(draft.reduction.trim()) }),
  };
  return {
    ...rest,
    ...(terms ? { dim: { ...otherDim, ...terms, ...(dated ? { dated } : {}) } } : {}),
    ...(Object.keys(nextMinimum).length > 0 ? { minimum: nextMinimum } : {}),
  };
}

/** Entries of services whose fuel was changed come first, since the first one that names a service counts. */
function fuelsWith(
  card: RateCard,
  ofAll: Fuel | undefined,
  drafts: readonly ServiceDraft[],
): NonNullable<RateCard["fuelByService"]> {
  const changed = drafts.filter(({ code, fuel }) => fuel.trim() !== fuelLines(ownFuel(card, code)));
  const codes = new Set(changed.map(({ code }) => code));
  const kept = (card.fuelByService ?? []).flatMap((entry) => {
    if (!entry.services) return [entry];
    const services = entry.services.filter((code) => !codes.has(code));
    return services.length > 0 ? [{ ...entry, services }] : [];
  });
  const own = changed.flatMap(({ code, fuel }) => {
    const start: ServiceFuel | undefined = ownFuel(card, code) ?? card.fuel;
    const { services: _services, mode: _mode, ...before } = start ?? { appliesTo: "base_net" };
    const next = fuelWith(before, fuel);
    if (next) return [{ ...next, services: [code] }];
    // Without an entry of its own, the fuel of its mode would apply instead of that of all services.
    const service = card.services.find((one) => one.code === code)!;
    const isByMode = kept.some((entry) => isFuelOf(entry, service));
    return isByMode ? [{ ...(ofAll ?? { percent: 0, appliesTo: "base_net" as const }), services: [code] }] : [];
  });
  return [...own, ...kept];
}

function surchargesWith(card: RateCard, peaks: readonly PeakDraft[]): Surcharge[] {
  const before = new Map((card.surcharges ?? []).filter(isPeak).map((one) => [one.code, one]));
  const others = (card.surcharges ?? []).filter((one) => !isPeak(one));
  const next = peaks.map(({ code, label, amount, from, to }): Surcharge => {
    const { label: _label, ...old } = before.get(code) ?? { code, kind: "fixed" as const, when: {} };
    return {
      ...old,
      ...(label.trim() === "" ? {} : { label: label.trim() }),
      code,
      amount: numberOf(amount.trim()),
      when: { ...old.when, from, to },
    };
  });
  return [...others, ...next];
}

/** The card with these terms. */
export function cardWith(card: RateCard, draft: TermsDraft): RateCard {
  const { fuel: _fuel, fuelByService: _byService, surcharges: _surcharges, weeklyRevenue: _revenue, ...rest } = card;
  const weeklyRevenue = termsIn(readRevenue(draft.weeklyRevenue));
  const fuel = fuelWith(card.fuel, draft.fuel);
  const fuelByService = fuelsWith(card, fuel, draft.services);
  const surcharges = surchargesWith(card, draft.peaks);
  return {
    ...rest,
    name: draft.name.trim(),
    effectiveFrom: draft.effectiveFrom,
    ...(fuel ? { fuel } : {}),
    ...(fuelByService.length > 0 ? { fuelByService } : {}),
    ...(surcharges.length > 0 ? { surcharges } : {}),
    ...(weeklyRevenue ? { weeklyRevenue } : {}),
    services: card.services.map((service, at) => serviceWith(service, draft.services[at]!)),
  };
}

const isAmount = (text: string): boolean => text.trim() === "" || numberOf(text.trim()) >= 0;

/** What is wrong with the draft, by field; the names are those of `field` in the form. */
export function wrongIn(draft: TermsDraft): ReadonlyMap<string, string> {
  const wrong = new Map<string, string>();
  const note = (at: string, read: Read<unknown>): void => {
    if ("wrong" in read) wrong.set(at, read.wrong);
  };
  note("fuel", readFuel(draft.fuel));
  note("weeklyRevenue", readRevenue(draft.weeklyRevenue));
  if (draft.weeklyRevenue.trim() === "" && draft.services.some(({ tiers }) => tiers.earned.trim() !== ""))
    wrong.set("weeklyRevenue", "Earned discounts require the weekly revenue.");
  for (const { code, fuel, dim, minimum, reduction, tiers, zones } of draft.services) {
    note(`${code} fuel`, readFuel(fuel));
    note(`${code} dim`, readDim(dim));
    if (!isAmount(minimum)) wrong.set(`${code} minimum`, "Enter an amount, such as 9.50.");
    if (!isAmount(reduction)) wrong.set(`${code} reduction`, "Enter an amount, such as 1.25.");
    for (const [field, message] of wrongTiers(tiers, zones)) wrong.set(`${code} ${field}`, message);
  }
  for (const [at, { code, amount, from, to }] of draft.peaks.entries()) {
    if (!/^[A-Za-z0-9][\w.-]{0,39}$/.test(code)) wrong.set(`${at} code`, "Enter a code, such as PEAK.");
    if (amount.trim() === "" || !isAmount(amount)) wrong.set(`${at} amount`, "Enter an amount, such as 1.35.");
    if (!isDate(from)) wrong.set(`${at} from`, "Enter the first day.");
    if (!isDate(to) || to < from) wrong.set(`${at} to`, "Enter the last day, not before the first.");
  }
  return wrong;
}
