import { guardText, toCsv } from "../../core/csv/csv.ts";
import { readPath } from "../json-path.ts";
import type { Json } from "../shape.ts";
import { asText, listOf } from "../shape.ts";
import { writeTags } from "./order-cells.ts";

const address = "name company address1 address2 city province provinceCode zip country countryCode phone".split(" ");

/** Names that an import knows; those of a line come once per row. */
const columns = [
  "number",
  "externalId",
  "status",
  "paymentStatus",
  "priority",
  "tags",
  "channel",
  "orderedAt",
  "shipBy",
  "deliverBy",
  "customer.name",
  "customer.email",
  "customer.phone",
  ...address.map((member) => `shippingAddress.${member}`),
  "currency",
  "total",
  "shipping.carrier",
  "shipping.service",
  "line.id",
  "line.sku",
  "line.name",
  "line.quantity",
  "line.price",
  "poNumber",
  "giftMessage",
  "requestedDeliveryDate",
  "line.options",
  "line.properties",
  "line.requiresShipping",
  "line.hsCode",
  "line.originCountry",
];

export function orderToCsv(record: Json, delimiter: string): string {
  const lines = listOf(record.lines);
  const rows = (lines.length === 0 ? [{}] : lines).map((line) => columns.map((name) => cellOf(record, line, name)));
  return toCsv([columns, ...rows], delimiter);
}

function cellOf(record: Json, line: Json, name: string): string {
  const value = name.startsWith("line.") ? line[name.slice(5)] : readPath(record, name);
  if (name === "tags") return guardText(writeTags(Array.isArray(value) ? value.map(asText) : []));
  if (Array.isArray(value)) return JSON.stringify(value);
  if (typeof value === "boolean") return String(value);
  return typeof value === "string" ? guardText(value) : asText(value);
}
