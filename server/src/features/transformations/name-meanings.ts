import { addressColumnNames, vagueNames } from "../../connectors/csv/order-column-names.ts";
import { orderFields } from "../../connectors/csv/order-sheet-fields.ts";
import { foldName } from "../../core/nearest.ts";

/** Words that shops and carriers use for the same thing. */
const synonyms = [
  ["zip", "postal", "postcode", "zipcode", "postalcode"],
  ["qty", "quantity", "count", "units"],
  ["sku", "item", "itemnumber", "productcode"],
  ["phone", "telephone", "tel", "mobile"],
  ["state", "province", "region", "provincecode", "statecode"],
  ["country", "countrycode"],
  ["email", "mail"],
  ["street", "address1", "line1", "addressline1", "street1"],
  ["address2", "line2", "addressline2", "street2"],
  ["name", "title", "fullname"],
  ["number", "no", "num", "reference", "ref"],
  ["total", "totalprice", "ordertotal", "grandtotal"],
  ["price", "amount", "unitprice", "cost"],
  [
    "ship",
    "shipping",
    "delivery",
    "recipient",
    "shipto",
    "lieferadresse",
    "livraison",
    "envio",
    "spedizione",
    "bezorging",
  ],
  ["bill", "billing", "billto", "rechnungsadresse", "facturation", "facturacion", "fatturazione", "factuur"],
  [
    "lines",
    "items",
    "lineitems",
    "orderlines",
    "products",
    "positionen",
    "artikel",
    "lignes",
    "articles",
    "lineas",
    "righe",
    "regels",
  ],
  ["created", "createdat", "orderdate", "placedat", "date", "orderedat"],
  ["note", "comment", "message", "remark"],
  ["weight", "mass"],
  ["currency", "currencycode"],
  ["customer", "buyer", "client", "kunde", "cliente", "klant"],
];

/** The meaning of a name: the same for all its synonyms. The column names of files add those of other languages. */
const meanings = new Map(synonyms.flatMap((words) => words.map((word) => [word, words[0]!] as const)));

/** Words that mean several things: as a part of a name they say nothing about the field. */
const vague = new Set(`order orderid item product title source store address state ${vagueNames}`.split(" "));
const tables: Array<readonly [field: string, names: string]> = [
  ...orderFields.flatMap(([field, names]) => (/Address\./.test(field) ? [] : [[field, names] as const])),
  ...Object.entries(addressColumnNames),
];
for (const [field, names] of tables) {
  const member = foldName(field.split(".").at(-1)!);
  const meaning = meanings.get(member) ?? member;
  // The names of a field in one group: a name that another field has already keeps that meaning.
  for (const name of [member, ...names.split(" ")]) {
    if (!vague.has(name) && !meanings.has(name)) meanings.set(name, meaning);
  }
}

export function meaningOf(name: string): string | undefined {
  return meanings.get(foldName(name.normalize("NFD")).replaceAll("ß", "ss"));
}
