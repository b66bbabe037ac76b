import type { CsvVocabulary } from "./csv-columns.ts";
import { addressFields } from "./csv-columns.ts";

const shippingPrefixes = ["shippingaddress", "shipping", "shipto", "ship", "delivery", "recipient", ""];
const billingPrefixes = ["billingaddress", "billing", "billto", "bill"];

/** "Weight (kg)" and "weight_lbs" as well. */
function withUnits(aliases: string[]): string[] {
  return aliases.flatMap((alias) => [alias, ...["lb", "lbs", "oz", "kg", "g"].map((unit) => alias + unit)]);
}

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
  ["line.weight", withUnits(["lineweight", "weight", "itemweight", "lineitemweight", "unitweight"])],
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

const customField = /^customFields\.[A-Za-z][\w.-]{0,63}$/;

export const orderVocabulary: CsvVocabulary = {
  noun: "Orders",
  names,
  isFurtherField: (field) => customField.test(field),
};
