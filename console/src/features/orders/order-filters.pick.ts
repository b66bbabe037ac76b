import type { OrderFilter } from "@order-operations-hub/sdk/api-types";
import { sentence } from "../../ui/format.ts";
import type { Search } from "../../ui/search-params.ts";
import { listOf, oneOf } from "../../ui/search-params.ts";
import type { Clock } from "../../ui/clock.ts";
import { shownInstant } from "../../ui/instant-text.ts";
import { holdNames, statusNames } from "./orders.text.ts";

/** A filter of the order list: its chip, its editor and its API name, which the address also uses. */
export type FilterDefinition = {
  id: string;
  title: string;
} & (
  | { kind: "names"; options: readonly string[]; param: string; notParam: string }
  | { kind: "texts"; param: string; notParam: string; hint?: string; isCounted: boolean }
  | { kind: "entity"; entity: "location" | "bridge" | "user"; param: string; notParam: string }
  | { kind: "tags"; params: { any: string; all: string; none: string } }
  | { kind: "range"; from: string; to: string; isDue: boolean }
  | { kind: "bounds"; from: string; to: string; unit: "money" | "weight" }
  | { kind: "flag"; param: string; yes: string; no: string }
  | { kind: "choice"; param: string; options: Record<string, string> }
);

const names = (id: string, title: string, options: readonly string[]): FilterDefinition => ({
  id,
  title,
  kind: "names",
  options,
  param: id,
  notParam: `${id}Not`,
});
const texts = (id: string, title: string, hint?: string): FilterDefinition => ({
  id,
  title,
  kind: "texts",
  param: id,
  notParam: `${id}Not`,
  // The hub counts the values of all others.
  isCounted: id !== "customField",
  ...(hint ? { hint } : {}),
});
const entity = (id: string, title: string, of: "location" | "bridge" | "user"): FilterDefinition => ({
  id,
  title,
  kind: "entity",
  entity: of,
  param: id,
  notParam: `${id}Not`,
});
const bounds = (id: string, title: string, unit: "money" | "weight"): FilterDefinition => ({
  id,
  title,
  kind: "bounds",
  from: `${id}Min`,
  to: `${id}Max`,
  unit,
});
/** `isDue`: a time that can be missed, beside times that are over. */
const range = (id: string, title: string, isDue = false): FilterDefinition => ({
  id,
  title,
  kind: "range",
  from: `${id}From`,
  to: `${id}To`,
  isDue,
});

const orderStatuses = [
  "draft",
  "new",
  "review_required",
  "awaiting_payment",
  "ready",
  "sent",
  "partially_shipped",
  "shipped",
  "delivered",
  "cancelled",
  "on_hold",
] as const;

export const orderFilters: readonly FilterDefinition[] = [
  names("status", "Status", orderStatuses),
  { id: "tags", title: "Tag", kind: "tags", params: { any: "tagsAny", all: "tagsAll", none: "tagsNone" } },
  texts("service", "Service"),
  texts("carrier", "Carrier"),
  texts("sku", "SKU"),
  texts("country", "Country"),
  range("shipBy", "Ship by", true),
  bounds("total", "Total", "money"),
  bounds("weight", "Weight", "weight"),
  entity("assigneeId", "Assignee", "user"),
  entity("locationId", "Location", "location"),
  names("holdReason", "Hold reason", Object.keys(holdNames)),
  names("priority", "Priority", ["low", "normal", "high", "urgent"]),
  names("paymentStatus", "Payment", ["pending", "authorized", "paid", "partially_refunded", "refunded", "voided"]),
  texts("channel", "Channel"),
  entity("bridgeId", "Connection", "bridge"),
  texts("customField", "Custom field", "Name and value, such as color:red."),
  { id: "lastRunFailed", title: "Last run", kind: "flag", param: "lastRunFailed", yes: "failed", no: "did not fail" },
  range("ordered", "Ordered"),
  range("created", "Imported"),
  range("updated", "Changed"),
  {
    id: "archived",
    title: "Archived",
    kind: "choice",
    param: "archived",
    options: { true: "only archived", any: "with archived" },
  },
];

export function paramsOf(filter: FilterDefinition): string[] {
  switch (filter.kind) {
    case "tags":
      return Object.values(filter.params);
    case "range":
    case "bounds":
      return [filter.from, filter.to];
    case "flag":
    case "choice":
      return [filter.param];
    default:
      return [filter.param, filter.notParam];
  }
}

const rangeParams = new Set(
  orderFilters.flatMap((filter) => (filter.kind === "range" ? [filter.from, filter.to] : [])),
);
const boundParams = new Set(
  orderFilters.flatMap((filter) => (filter.kind === "bounds" ? [filter.from, filter.to] : [])),
);
const allParams = ["search", ...orderFilters.flatMap(paramsOf)];

/** The filters of an address, without its other parameters. */
export function filterSearch(search: Search): Search {
  return Object.fromEntries(allParams.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]])));
}

/** Resolves relative times such as "today", so that a saved view follows the current day. */
function resolveTime(value: string, clock: Clock): string {
  const now = clock.now();
  // Rounded to the minute, so that the query key stays the same between renders.
  if (value === "now") return new Date(Math.floor(now / 60_000) * 60_000).toISOString();
  const [, days] = /^today([+-]\d+)?$/.exec(value) ?? [];
  if (!value.startsWith("today")) return /^\d{4}-\d\d-\d\d$/.test(value) ? startOfDay(value, clock.timeZone) : value;
  const day = new Intl.DateTimeFormat("en-CA", { timeZone: clock.timeZone }).format(
    now + Number(days ?? 0) * 86_400_000,
  );
  return startOfDay(day, clock.timeZone);
}

/** Start of a day in a time zone. Searched for, because a DST change can skip midnight. */
function startOfDay(day: string, timeZone: string): string {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  const format = new Intl.DateTimeFormat("en-CA", { timeZone });
  for (let quarter = -14 * 4; quarter <= 14 * 4; quarter++) {
    const at = midnight + quarter * 900_000;
    if (format.format(at) === day) return new Date(at).toISOString();
  }
  return new Date(midnight).toISOString();
}

/** Converts an address into an API filter. */
export function filterOf(search: Search, clock: Clock): OrderFilter {
  const entries = Object.entries(filterSearch(search)).map(([name, value]) => {
    if (rangeParams.has(name)) return [name, resolveTime(oneOf(value)!, clock)];
    if (boundParams.has(name)) return [name, name.startsWith("total") ? Number(oneOf(value)) : oneOf(value)];
    if (name === "lastRunFailed") return [name, oneOf(value) === "true"];
    return [name, name === "search" || name === "archived" ? oneOf(value) : listOf(value)];
  });
  return Object.fromEntries(entries) as OrderFilter;
}

/** The inverse: converts an API filter into an address. Accepts comma-separated lists and the single `tag`. */
export function searchOf({ tag, ...filter }: OrderFilter): Search {
  const listed = orderFilters.filter(({ kind }) => kind === "names").flatMap(paramsOf);
  const entries = Object.entries(filter).map(([name, value]): [string, string | string[]] => {
    if (Array.isArray(value)) return [name, value];
    return [name, listed.includes(name) ? String(value).split(",") : String(value)];
  });
  return {
    ...Object.fromEntries(entries),
    ...(tag === undefined ? {} : { tagsAll: [...listOf(filter.tagsAll), tag] }),
  };
}

const regionNames = new Intl.DisplayNames("en", { type: "region", fallback: "code" });

/** A value in words: "Partly shipped", "Hold: stock", "Urgent", "Austria". */
export function valueName(filter: FilterDefinition, value: string): string {
  if (filter.id === "country") return /^[A-Za-z]{2}$/.test(value) ? regionNames.of(value.toUpperCase())! : value;
  if (filter.kind !== "names") return value;
  return { status: statusNames, holdReason: holdNames }[filter.id]?.[value] ?? sentence(value);
}

/** The first two, and how many more. */
const shorten = (values: string[]): string =>
  [...values.slice(0, 2), ...(values.length > 2 ? [`+${values.length - 2}`] : [])].join(", ");

/** A time of a filter in words: "7 days ago", "18 Nov 2026 14:30". */
function timeText(value: string, clock: Clock): string {
  const [, days] = /^today([+-]\d+)$/.exec(value) ?? [];
  if (days) {
    const count = Number(days);
    if (count === 1 || count === -1) return count === 1 ? "tomorrow" : "yesterday";
    return count > 0 ? `in ${count} days` : count < 0 ? `${-count} days ago` : "today";
  }
  if (/^\d{4}-\d\d-\d\d$/.test(value) || Number.isNaN(Date.parse(value))) return value;
  return shownInstant(value, clock.timeZone);
}

/** Text of a chip; undefined when the filter is off. */
export function chipText(
  filter: FilterDefinition,
  search: Search,
  nameOf: (id: string) => string,
  clock: Clock,
): string | undefined {
  const values = (param: string): string => shorten(listOf(search[param]).map((one) => nameOf(valueName(filter, one))));
  const joined = (...parts: (string | false)[]): string | undefined => parts.filter(Boolean).join(", ") || undefined;
  switch (filter.kind) {
    case "names":
    case "texts":
    case "entity": {
      const not = values(filter.notParam);
      return joined(values(filter.param), not && `not ${not}`);
    }
    case "tags": {
      const { params } = filter;
      const [all, none] = [values(params.all), values(params.none)];
      return joined(values(params.any), all.includes(",") ? `all of ${all}` : all, none && `none of ${none}`);
    }
    case "range":
    case "bounds": {
      const [from, to] = [filter.from, filter.to].map((param) => {
        const value = oneOf(search[param]);
        return value && filter.kind === "range" ? timeText(value, clock) : value;
      });
      const [least, most] = filter.kind === "range" ? ["from", "before"] : ["at least", "at most"];
      if (from && to) return `${from} to ${to}`;
      return from ? `${least} ${from}` : to ? `${most} ${to}` : undefined;
    }
    case "flag": {
      const value = oneOf(search[filter.param]);
      return value === undefined ? undefined : value === "true" ? filter.yes : filter.no;
    }
    case "choice":
      return filter.options[oneOf(search[filter.param]) ?? ""];
  }
}
