import { nearestName } from "./nearest.ts";
import type { FieldError } from "./errors.ts";
import { escapePointer } from "./strict-json.ts";

const addressNames: Record<string, string[]> = {
  name: ["name", "fullname", "recipient"],
  company: ["company", "companyname"],
  address1: ["address1", "address", "street", "street1", "streetaddress", "addressline1", "line1"],
  address2: ["address2", "street2", "addressline2", "line2", "apartment"],
  city: ["city", "town"],
  province: ["province", "state", "region", "provincename", "statename"],
  provinceCode: ["provincecode", "statecode"],
  zip: ["zip", "zipcode", "postalcode", "postcode", "postal"],
  country: ["country", "countryname"],
  countryCode: ["countrycode", "countryiso"],
  phone: ["phone", "phonenumber", "telephone"],
  email: [],
};

const shippingPrefixes = ["shippingaddress", "shipping", "shipto", "ship", "delivery", "recipient", ""];
const billingPrefixes = ["billingaddress", "billing", "billto", "bill"];

/** What a file can say about an order, and how its columns are usually called. First come, first served. */
const names: [field: string, aliases: string[]][] = [
  ["number", ["number", "ordernumber", "orderno", "ordernum", "order", "orderid"]],
  ["externalId", ["externalid", "externalorderid", "sourceid"]],
  ["status", ["status", "orderstatus"]],
  ["paymentStatus", ["paymentstatus", "financialstatus"]],
  ["priority", ["priority"]],
  ["tags", ["tags", "tag"]],
  ["channel", ["channel", "saleschannel", "marketplace", "source", "store"]],
  ["currency", ["currency", "currencycode"]],
  ["total", ["total", "ordertotal", "grandtotal", "amount"]],
  ["orderedAt", ["orderedat", "orderdate", "dateordered", "purchasedate", "date"]],
  ["shipBy", ["shipby", "shipbydate"]],
  ["deliverBy", ["deliverby", "deliverbydate", "duedate"]],
  ["dispatchOn", ["dispatchon", "dispatchdate"]],
  ["customer.name", ["customername", "customer", "buyername", "buyer"]],
  ["customer.email", ["customeremail", "email", "emailaddress", "buyeremail"]],
  ["customer.phone", ["customerphone", "buyerphone"]],
  ["line.id", ["lineid", "lineitemid"]],
  ["line.sku", ["linesku", "sku", "itemsku", "lineitemsku", "productsku", "itemcode", "productcode"]],
  ["line.name", ["linename", "itemname", "lineitemname", "productname", "product", "item", "title"]],
  ["line.quantity", ["linequantity", "quantity", "qty", "itemquantity", "lineitemquantity"]],
  ["line.price", ["lineprice", "price", "unitprice", "itemprice", "lineitemprice"]],
  ["line.weight", ["lineweight", "weight", "itemweight", "lineitemweight"]],
  ["line.weightUnit", ["lineweightunit", "weightunit"]],
  ["shipping.carrier", ["shippingcarrier", "carrier"]],
  ["shipping.service", ["shippingservice", "service", "shippingmethod", "shipmethod"]],
  ["note", ["note", "notes", "ordernote", "customernote"]],
  ["locationId", ["locationid"]],
  ["assigneeId", ["assigneeid"]],
  ["customFields", ["customfields"]],
  ...addressFields("shippingAddress", shippingPrefixes),
  ...addressFields("billingAddress", billingPrefixes),
];

function addressFields(field: string, prefixes: string[]): [string, string[]][] {
  return Object.entries(addressNames).map(([member, aliases]) => [
    `${field}.${member}`,
    prefixes.flatMap((prefix) =>
      [...new Set([member.toLowerCase(), ...aliases])]
        .filter((alias) => prefix !== "" || alias !== "email")
        .map((alias) => prefix + alias),
    ),
  ]);
}

export const csvFields = names.map(([field]) => field);
const customField = /^customFields\.[A-Za-z][\w.-]{0,63}$/;

const byAlias = new Map<string, string>();
for (const [field, aliases] of names) for (const alias of aliases) if (!byAlias.has(alias)) byAlias.set(alias, field);

/** "Order Number", "order_number" and "orderNumber" are one name. */
function fold(column: string): string {
  return column.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "");
}

export type Column = { column: string; field: string | null };

/** Which field each column is; what the caller says goes before what the name suggests. */
export function matchColumns(
  header: readonly string[],
  mapping: Readonly<Record<string, string | null>>,
): Column[] | FieldError[] {
  const errors: FieldError[] = [];
  const said = new Map<string, string | null>();
  for (const [name, field] of Object.entries(mapping)) {
    const pointer = `/mapping/${escapePointer(name)}`;
    const column = header.find((known) => known === name) ?? header.find((known) => fold(known) === fold(name));
    if (column === undefined)
      errors.push(wrong(pointer, "unknown_column", "The file has no such column.", name, header));
    else if (field !== null && !csvFields.includes(field) && !customField.test(field)) {
      errors.push(wrong(pointer, "unknown_field", "Orders have no such field.", field, csvFields));
    } else said.set(column, field);
  }
  if (errors.length > 0) return errors;
  const used = new Set(said.values());
  return header.map((column) => {
    if (said.has(column)) return { column, field: said.get(column)! };
    const field = byAlias.get(fold(column)) ?? null;
    if (field === null || used.has(field)) return { column, field: null };
    used.add(field);
    return { column, field };
  });
}

function wrong(pointer: string, code: string, message: string, given: string, allowed: readonly string[]): FieldError {
  const suggestion = nearestName(given, allowed);
  return { pointer, code, message, allowed, ...(suggestion === undefined ? {} : { suggestion }) };
}
