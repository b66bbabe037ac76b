import type { Answer } from "@order-operations-hub/sdk/client";
import { sentence, words } from "../../ui/format.ts";
import type { Condition, Leaf, Side } from "./condition-tree.pick.ts";
import { subjectTitle } from "./condition-tree.pick.ts";

type Known = Answer<"GET /api/v1/operations/condition-fields">;
export type Field = Known["data"][number];
/** The fields that paths can name: of the order, or of an element of a list. */
export type Fields = { data: readonly Field[]; lists: readonly string[] };

/** Fields of the elements of a list; their paths begin in the element. */
export function fieldsWithin({ data, lists }: Fields, list: string): Fields {
  const prefix = `${list}.`;
  const inside = (path: string): string[] => (path.startsWith(prefix) ? [path.slice(prefix.length)] : []);
  return {
    data: data.flatMap((field) => inside(field.path).map((path) => ({ ...field, path }))),
    lists: lists.flatMap(inside),
  };
}

export const findField = ({ data }: Fields, path: string): Field | undefined =>
  data.find((field) => field.path === path);

/** Plain names for fields whose path says too little or too much. */
const plainNames: Record<string, string> = {
  number: "Order number",
  total: "Order total",
  countryCode: "Country",
  provinceCode: "State or province",
  zip: "Postal code",
  address1: "Address line 1",
  address2: "Address line 2",
  locationId: "Location",
  assigneeId: "Assignee",
  bridgeId: "Connection",
  carrierAccountId: "Carrier account",
  orderCount: "Number of orders",
  totalSpent: "Total spent",
  sku: "SKU",
};

const groupNames: Record<string, string> = {
  "": "Order",
  lines: "Items",
  shippingAddress: "Shipping address",
  billingAddress: "Billing address",
  customFields: "Custom fields",
  totalWeight: "Weight",
};

function nameOf(path: string): string {
  const parts = path.split(".");
  const last = parts.at(-1)!;
  const name = plainNames[last] ?? sentence(last.replace(/Ids?$/, ""));
  const between = parts.slice(1, -1).map((part) => words(part));
  return between.length === 0 ? name : `${sentence(between.join(" "))}: ${name.toLowerCase()}`;
}

const groupNameOf = (path: string): string => {
  const head = path.includes(".") ? path.split(".")[0]! : "";
  return groupNames[head] ?? sentence(head);
};

/** Technical fields, which conditions of people do not use, come last. */
const isTechnical = (path: string): boolean => /(^|\.)(id|version|externalId|mergedIntoId|parentOrderId)$/.test(path);

export type SubjectOption = { value: string; label: string; note: string };

/** "side:path" names a subject in the select. */
export const subjectKey = (side: Side, path: string): string => `${side}:${path}`;

/** Fields by group, then counts, sums and conditions on list elements. */
export function subjectsOf({ data, lists }: Fields): SubjectOption[] {
  const plain = data
    .filter(({ path, available }) => available && !path.includes("*"))
    .map(({ path }) => ({
      value: subjectKey("path", path),
      label: nameOf(path),
      note: isTechnical(path) ? "Technical" : groupNameOf(path),
    }));
  const groups = [...new Set(plain.map(({ note }) => note))].toSorted((one, other) => rankOf(one) - rankOf(other));
  const sorted = groups.flatMap((group) => plain.filter(({ note }) => note === group));
  const nested = lists.filter((list) => fieldsWithin({ data, lists }, list).data.length > 0);
  const over = (side: Side, paths: readonly string[], note: string): SubjectOption[] =>
    paths.map((path) => ({ value: subjectKey(side, path), label: subjectTitle(side, path), note }));
  const numbers = data
    .filter(({ path, type }) => type === "number" && lists.some((list) => path.startsWith(`${list}.`)))
    .map(({ path }) => path);
  return [
    ...sorted,
    ...over("count", lists, "Counts and sums"),
    ...over("sum", numbers, "Counts and sums"),
    ...over("any_of", nested, "List elements"),
    ...over("all_of", nested, "List elements"),
  ];
}

const rankOf = (group: string): number => (group === "Order" ? 0 : group === "Technical" ? 9 : 1);

/** Option for a subject that is not listed, such as a custom field. */
export function subjectFor(key: string): SubjectOption {
  const [side, path] = readKey(key);
  return { value: key, label: side === "path" ? nameOf(path) : subjectTitle(side, path), note: "" };
}

function readKey(key: string): [Side, string] {
  const at = key.indexOf(":");
  return [key.slice(0, at) as Side, key.slice(at + 1)];
}

const firstOp: Partial<Record<Field["type"], string>> = { date: "lt", tags: "has_tag" };

/** A new condition about a subject. The value is empty: that of another field would be of another type. */
export function newLeaf(key: string, fields: Fields): Leaf {
  const [side, path] = readKey(key);
  if (side === "count") return { count: path, op: "gte", value: 1 };
  if (side === "sum") return { sum: path, op: "gt", value: 0 };
  if (side === "any_of" || side === "all_of")
    return { [side]: path, where: firstWithin(fieldsWithin(fields, path)) } as Leaf;
  const field = findField(fields, path);
  const op = (field && firstOp[field.type]) ?? "eq";
  if (field?.type === "date") return { path, op, value: { now: "0 days" } };
  return { path, op, value: field?.type === "boolean" ? true : (field?.values?.[0] ?? "") };
}

const firstWithin = (fields: Fields): Condition => {
  const [first] = subjectsOf(fields);
  return first ? newLeaf(first.value, fields) : { path: "", op: "not_empty" };
};
