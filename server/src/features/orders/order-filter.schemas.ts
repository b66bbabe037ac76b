import type { Static } from "typebox";
import { Type } from "../../core/type.ts";
import {
  Before,
  Id,
  NameList,
  OneOf,
  OneOrMore,
  optional,
  Since,
  splitNames,
  Strict,
  toList,
} from "../../core/schema.ts";
import type { OrderStatus } from "./orders.states.ts";
import { holdReasons, orderStatuses, paymentStatuses, priorities } from "./orders.states.ts";

const Text = (maxLength: number) => Type.String({ minLength: 1, maxLength });
const archivedNames = ["true", "false", "any"] as const;
export type Archived = (typeof archivedNames)[number];
export const Archived = Type.Optional(OneOf(archivedNames, { description: "Default: false" }));

/** One or more values of an enum, also as one comma-separated text. */
const names = {
  status: [...orderStatuses, "on_hold"],
  priority: priorities,
  paymentStatus: paymentStatuses,
  holdReason: holdReasons,
} as const;

const Country = Type.String({ pattern: "^[A-Za-z]{2}$" });
const Amount = Type.Number({ minimum: 0, maximum: 1e12, description: "In the currency of each order, inclusive" });
const WeightText = Type.String({
  pattern: "^\\d{1,7}(\\.\\d{1,6})? ?(g|kg|oz|lb)$",
  description: "Weight of the packages, or else of the items, with its unit, such as 2.5 lb; inclusive",
});
const Field = Type.String({ pattern: "^[A-Za-z][\\w.-]{0,63}:", maxLength: 1_100 });
const fieldText =
  "Name and value of a custom field, as in color:red. Values of one field are alternatives; of several fields, each has to have one of its own";

/** Each filter takes one value or several: the order must have one of them or, with Not, none. */
const choices = {
  status: OneOrMore(NameList(names.status)),
  priority: OneOrMore(NameList(names.priority)),
  paymentStatus: OneOrMore(NameList(names.paymentStatus)),
  channel: OneOrMore(Text(64)),
  locationId: OneOrMore(Id),
  bridgeId: OneOrMore(Id),
  assigneeId: OneOrMore(Id),
  carrier: OneOrMore(Text(100)),
  service: OneOrMore(Text(100)),
  sku: OneOrMore(Text(100), { description: "Has a line with one of these SKUs, compared exactly" }),
  country: OneOrMore(Country, { description: "Country of the shipping address, ISO 3166, such as US" }),
  holdReason: OneOrMore(NameList(names.holdReason), { description: "Is on hold for one of these reasons" }),
  customField: OneOrMore(Field, { description: fieldText }),
};
const exclusions = {
  statusNot: OneOrMore(NameList(names.status)),
  priorityNot: OneOrMore(NameList(names.priority)),
  paymentStatusNot: OneOrMore(NameList(names.paymentStatus)),
  channelNot: choices.channel,
  locationIdNot: choices.locationId,
  bridgeIdNot: choices.bridgeId,
  assigneeIdNot: choices.assigneeId,
  carrierNot: choices.carrier,
  serviceNot: choices.service,
  skuNot: OneOrMore(Text(100), { description: "Has no line with any of these SKUs" }),
  countryNot: OneOrMore(Country, { description: "Ships to none of these countries" }),
  holdReasonNot: OneOrMore(NameList(names.holdReason)),
  customFieldNot: OneOrMore(Field, { description: "Has none of these: another value, or no value" }),
};
const tags = {
  tagsAny: OneOrMore(Text(64), { description: "Has at least one of these tags, in any case" }),
  tagsAll: OneOrMore(Text(64), { description: "Has all of these tags, in any case" }),
  tagsNone: OneOrMore(Text(64), { description: "Has none of these tags, in any case" }),
};

/** Filters of orders, shared by lists, exports and selections, as query or JSON. */
export const orderFilters = {
  ...optional({ ...choices, ...exclusions, ...tags }),
  tag: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: "Has this tag, in any case" })),
  lastRunFailed: Type.Optional(
    Type.Boolean({ description: "Whether the order failed in the last run that changed it or tried to" }),
  ),
  archived: Archived,
  totalMin: Type.Optional(Amount),
  totalMax: Type.Optional(Amount),
  weightMin: Type.Optional(WeightText),
  weightMax: Type.Optional(WeightText),
  orderedFrom: Since,
  orderedTo: Before,
  createdFrom: Since,
  createdTo: Before,
  updatedFrom: Since,
  updatedTo: Before,
  shipByFrom: Since,
  shipByTo: Before,
  search: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 200,
      description:
        "Beginnings of words, without regard to case, accents and apostrophes. All must be in number, external id, customer " +
        "(with pii:read), company, city, zip, SKUs and names of items; or all in tags and tracking numbers. Three digits and " +
        "more are also found inside numbers",
    }),
  ),
};

export const OrderFilterRequest = Strict(orderFilters, { examples: [{ status: ["new", "ready"], tagsAny: ["vip"] }] });
export type OrderFilterRequest = Static<typeof OrderFilterRequest>;

export type WantedStatus = OrderStatus | "on_hold";
type Choice = keyof typeof choices;
type ListName = keyof typeof choices | keyof typeof exclusions | keyof typeof tags;
type Lists = { [Name in Exclude<ListName, "status" | "statusNot">]?: string[] };
type Single = Omit<OrderFilterRequest, ListName>;

/** A normalized filter: lists for multiple values, `search` as a tsquery. `ids`: only in lists. */
export type OrderFilter = Single & Lists & { status?: WantedStatus[]; statusNot?: WantedStatus[]; ids?: string[] };

const listNames = Object.keys({ ...choices, ...exclusions, ...tags }) as ListName[];
const isNamed = (name: string): name is keyof typeof names => name in names;

/** Normalizes lists and times. The search is compiled later: its result depends on the scopes of the caller. */
export function normalizeFilter(request: OrderFilterRequest): OrderFilter {
  const filter: Record<string, unknown> = { ...request };
  for (const name of listNames) {
    const list = toList(request[name]);
    if (list === undefined) continue;
    const choice = name.replace(/Not$/, "") as Choice;
    filter[name] = isNamed(choice) ? [...new Set(list.flatMap((text) => splitNames(text)))] : list;
  }
  for (const date of ["ordered", "created", "updated", "shipBy"] as const) {
    for (const name of [`${date}From`, `${date}To`] as const) {
      const given = request[name];
      if (given !== undefined) filter[name] = new Date(given).toISOString();
    }
  }
  return filter;
}
