import { readDay, readNumber } from "../../core/csv/csv-cells.ts";
import { readTable } from "../../core/csv/csv-table.ts";
import type { FieldError } from "../../core/errors.ts";
import { escapePointer } from "../../core/strict-json.ts";
import { readWeightUnit } from "../../core/weight.ts";
import type { CardService, RateCard } from "./card.schemas.ts";

type Service = Pick<CardService, "code" | "rates" | "cubic" | "hundredweight" | "discounts" | "multiPiece">;
type Card<One extends Service> = { services: One[]; weeklyRevenue?: RateCard["weeklyRevenue"] };

const maxRows = 5_000;
const maxErrors = 200;

const columns = ["service", "term", "from", "value"] as const;
type Column = (typeof columns)[number];
/** Rows of these terms are tiers, each with its limit in `from`. */
const tierTerms = ["cubic", "hundredweight", "earned discount", "weekly revenue"] as const;
type TierTerm = (typeof tierTerms)[number];

/** Terms with a single value. Each returns what the value has to be, if it is something else. */
const settings: Record<string, (service: Service, text: string) => string | undefined> = {
  "multi-piece": (service, text) => {
    const found = (["each", "total"] as const).find((one) => one === text.toLowerCase());
    if (found) service.multiPiece = found;
    return found ? undefined : "each or total";
  },
  "cubic max weight": ({ cubic }, text) => {
    const [, number, name] = /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(text) ?? [];
    const unit = readWeightUnit(name || "lb");
    if (!cubic || !(Number(number) > 0) || !unit) return cubic ? "a weight, such as 20 lb" : afterTiers("cubic");
    cubic.maxWeight = { value: Number(number), unit };
    return undefined;
  },
  "cubic max length": ({ cubic }, text) => setNumber(cubic, "cubic", "maxLength", text),
  "hundredweight discount": ({ hundredweight }, text) =>
    setNumber(hundredweight, "hundredweight", "discountPercent", text),
  "hundredweight minimum": ({ hundredweight }, text) => setNumber(hundredweight, "hundredweight", "minimum", text),
  "hundredweight min pieces": ({ hundredweight }, text) => setNumber(hundredweight, "hundredweight", "minPieces", text),
};

const afterTiers = (term: string): string => `together with rows of the term ${term} for this service`;

function setNumber<Key extends string>(
  terms: { [key in Key]?: number } | undefined,
  term: string,
  key: Key,
  text: string,
): string | undefined {
  const value = numberIn(text);
  if (value === undefined) return "a number from 0 up";
  if (!terms) return afterTiers(term);
  terms[key] = value;
  return undefined;
}

/** From 0 up; undefined if the text is anything else. */
function numberIn(text: string): number | undefined {
  if (text === "") return undefined;
  const read = readNumber(text.replace(/\s*%$/, ""));
  return "value" in read && (read.value as number) >= 0 ? (read.value as number) : undefined;
}

export const termNames = [...tierTerms, ...Object.keys(settings)];
const fold = (text: string): string => text.toLowerCase().replaceAll(/[^a-z]/g, "");

type Tier = { from: number | string; value: number; prices: Map<string, number | null> };
type Table = { service: Service | undefined; term: TierTerm; tiers: Tier[] };
type Fail = (column: string, code: string, message: string) => undefined;
type Sheet = { names: string[]; at: Record<Column, number>; zones: [index: number, zone: string][] };

/**
 * Reads tiers of contracts: the columns service, term, from and value, and one for each zone. The tiers of a service are replaced, its other
 * terms stay. Rows can be in any order.
 */
export async function termsFromCsv<One extends Service>(
  csv: string,
  given: Card<One>,
): Promise<Card<One> | { errors: FieldError[] }> {
  const errors: FieldError[] = [];
  const failAt =
    (row: number): Fail =>
    (column, code, message) => {
      const pointer = `/termsCsv/${row}${column === "" ? "" : `/${escapePointer(column)}`}`;
      errors.push({ pointer, code, message: `Row ${row}${column === "" ? "" : `, ${column}`}: ${message}` });
      return undefined;
    };
  const table = await readTable(csv, maxRows);
  if ("errors" in table) return { errors: table.errors.map((error) => ({ ...error, pointer: "/termsCsv" })) };
  const [header, ...rows] = table.rows;
  const sheet = readHeader(header?.cells ?? [], failAt(header?.number ?? 1));
  if (!sheet) return { errors };
  const card = structuredClone(given);
  const tables = new Map<string, Table>();
  // Settings complete the tiers, wherever those are in the file.
  const later: (() => void)[] = [];
  for (const { cells, number } of rows) {
    if (cells.every((text) => text.trim() === "")) continue;
    const fail = failAt(number);
    const term = termNames.find((name) => fold(name) === fold(cells[sheet.at.term] ?? ""));
    if (term === undefined) {
      const message = `${textOf(cells[sheet.at.term])} is not one of ${termNames.join(", ")}.`;
      fail(sheet.names[sheet.at.term]!, "unknown_term", message);
      continue;
    }
    const service = findService(card, term, cells[sheet.at.service] ?? "");
    if (service === "unknown") {
      const codes = card.services.map(({ code }) => code).join(", ");
      const message = `${textOf(cells[sheet.at.service])} is not a service of the card: ${codes}.`;
      fail(sheet.names[sheet.at.service]!, "unknown_service", message);
    } else if (Object.hasOwn(settings, term)) {
      later.push(() => {
        const wanted = settings[term]!(service!, (cells[sheet.at.value] ?? "").trim());
        if (wanted) fail(sheet.names[sheet.at.value]!, "value", `The term ${term} has to be ${wanted}.`);
      });
    } else addTier(tables, service, term as TierTerm, readTier(term as TierTerm, service, cells, sheet, fail), fail);
  }
  for (const one of tables.values()) setTiers(card, one);
  for (const set of later) set();
  return errors.length > 0 ? { errors: errors.slice(0, maxErrors) } : card;
}

const textOf = (text: string | undefined): string => text?.trim() || "An empty cell";

function readHeader(cells: string[], fail: Fail): Sheet | undefined {
  const names = cells.map((name) => name.trim());
  const at = Object.fromEntries(
    columns.map((name) => [name, names.findIndex((one) => one.toLowerCase() === name)]),
  ) as Record<Column, number>;
  const missing = columns.filter((name) => at[name] === -1);
  if (missing.length > 0) return fail("", "columns", `The columns ${missing.join(", ")} are missing.`);
  const zones = names.flatMap((name, index): [number, string][] =>
    name === "" || Object.values(at).includes(index) ? [] : [[index, name.replace(/^zone\s*/i, "")]],
  );
  return { names, at, zones };
}

/** The revenue of a week belongs to the card. */
function findService<One extends Service>(card: Card<One>, term: string, code: string): One | "unknown" | undefined {
  if (term === "weekly revenue") return undefined;
  return card.services.find((one) => one.code === code.trim()) ?? "unknown";
}

const limits: Record<TierTerm, { is(value: number): boolean; text: string }> = {
  cubic: { is: (value) => value > 0, text: "a volume in cubic feet above 0" },
  hundredweight: { is: (value) => value >= 1 && Number.isInteger(value), text: "a whole weight from 1 up" },
  "earned discount": { is: () => true, text: "a weekly revenue from 0 up" },
  "weekly revenue": { is: () => false, text: "a date" },
};

function readTier(
  term: TierTerm,
  service: Service | undefined,
  cells: string[],
  { names, at, zones }: Sheet,
  fail: Fail,
): Tier | undefined {
  const cell = (name: Column): string => (cells[at[name]] ?? "").trim();
  let from: number | string | undefined = numberIn(cell("from"));
  if (term === "weekly revenue") {
    const day = readDay(cell("from"));
    from = "value" in day && cell("from") !== "" ? (day.value as string) : undefined;
  } else if (from !== undefined && !limits[term].is(from)) from = undefined;
  if (from === undefined) return fail(names[at.from]!, "limit", `${textOf(cell("from"))} is not ${limits[term].text}.`);
  if (term === "cubic" || term === "hundredweight")
    return { from, value: 0, prices: readPrices(service!, cells, names, zones, fail) };
  const value = numberIn(cell("value"));
  if (value === undefined || (term === "earned discount" && value > 100)) {
    const wanted = term === "earned discount" ? "a percentage from 0 to 100" : "an amount from 0 up";
    return fail(names[at.value]!, "value", `${textOf(cell("value"))} is not ${wanted}.`);
  }
  return { from, value, prices: new Map() };
}

function readPrices(
  { code, rates }: Service,
  cells: string[],
  names: string[],
  zones: Sheet["zones"],
  fail: Fail,
): Tier["prices"] {
  const prices: Tier["prices"] = new Map();
  for (const [index, zone] of zones) {
    const text = (cells[index] ?? "").trim();
    const price = numberIn(text) ?? null;
    if (price === null && text !== "" && text !== "-")
      fail(names[index]!, "price", `${text} is not a price, such as 12.34.`);
    else if (price !== null && !Object.hasOwn(rates, zone))
      fail(names[index]!, "unknown_zone", `${code} has no prices by weight for zone ${zone}.`);
    else prices.set(zone, price);
  }
  return prices;
}

function addTier(
  tables: Map<string, Table>,
  service: Service | undefined,
  term: TierTerm,
  tier: Tier | undefined,
  fail: Fail,
): void {
  if (!tier) return;
  const key = `${term} ${service?.code}`;
  const table = tables.get(key) ?? { service, term, tiers: [] };
  tables.set(key, table);
  if (table.tiers.some(({ from }) => from === tier.from))
    fail("from", "duplicate", `The term ${term} has more than one row for ${tier.from}.`);
  table.tiers.push(tier);
}

function setTiers(card: Card<Service>, { service, term, tiers }: Table): void {
  tiers.sort((one, other) => (one.from < other.from ? -1 : 1));
  if (!service) {
    card.weeklyRevenue = tiers.map(({ from, value }) => ({ from: from as string, amount: value }));
    return;
  }
  const froms = tiers.map(({ from }) => from as number);
  if (term === "cubic") service.cubic = { ...service.cubic, tiers: froms, rates: ratesOf(tiers) };
  else if (term === "hundredweight")
    service.hundredweight = { ...service.hundredweight, weightFrom: froms, rates: ratesOf(tiers) };
  else {
    const earned = tiers.map(({ from, value }) => ({ revenueFrom: from as number, percent: value }));
    const discounts = service.discounts ?? [];
    const index = discounts.findIndex((one) => one.tiers);
    service.discounts =
      index === -1 ? [...discounts, { tiers: earned }] : discounts.with(index, { ...discounts[index]!, tiers: earned });
  }
}

/** A zone without any price is not in the table. */
function ratesOf(tiers: Tier[]): Record<string, (number | null)[]> {
  const zones = [...(tiers[0]?.prices.keys() ?? [])];
  const rates = zones.map((zone) => [zone, tiers.map(({ prices }) => prices.get(zone) ?? null)] as const);
  return Object.fromEntries(rates.filter(([, prices]) => prices.some((price) => price !== null)));
}
