import type { CellReader } from "../../core/csv/csv-cells.ts";
import {
  readAmount,
  readCode,
  readDate,
  readDay,
  readForeignCode,
  readIdentifier,
  readNumber,
  readUnit,
} from "../../core/csv/csv-cells.ts";
import type { SheetField } from "../../core/csv/csv-columns.ts";
import { namesWithUnits } from "../../core/weight.ts";
import {
  readCountry,
  readFlag,
  readList,
  readNamedValues,
  readNotes,
  readObject,
  readOneLine,
  readPresentment,
  readReduction,
  readRisk,
  readTags,
  readVariations,
  readWord,
} from "./order-cells.ts";
import {
  addressColumnNames,
  billingPrefixes,
  billingSuffixes,
  shippingPrefixes,
  shippingSuffixes,
  withTranslations,
} from "./order-column-names.ts";
import { readAddressText, readCoupons, readDiscountTitle, readProducts } from "./packed-cells.ts";

const named =
  (spareName: string): CellReader =>
  (text) => ({ value: readNamedValues(text, spareName) });

/** Fields of the order: their columns, best first, and how cells are read. Some exist in files only; finish-order.ts converts them. */
const fields: SheetField[] = [
  ["number", "ordernumber orderno ordernum number order orderid", readIdentifier],
  // Identifies an order without a number.
  ["fallbackNumber", "salesrecordnumber", readIdentifier],
  ["externalId", "externalid externalorderid sourceid", readIdentifier],
  ["status", "status orderstatus", readWord],
  ["paymentStatus", "paymentstatus financialstatus", readWord],
  ["priority", "priority", readWord],
  ["tags", "tags tag", (text) => ({ value: readTags(text) })],
  ["businessOrder", "isbusinessorder businessorder", readFlag],
  ["channel", "channel saleschannel marketplace source store", readOneLine],
  ["currency", "currency currencycode", readCode],
  ["total", "total ordertotal grandtotal amount", readAmount],
  ["amounts.subtotal", "amountssubtotal subtotal ordersubtotal", readAmount],
  [
    "amounts.discount",
    "amountsdiscount discount discountamount discounttotal totaldiscount orderdiscount",
    readReduction,
  ],
  ["amounts.discounts", "amountsdiscounts", readList],
  ["discountCode", "discountcode discountcodes couponcode coupon promocode vouchercode", readCoupons],
  ["discountTitle", "discounttitle coupondetails", readDiscountTitle],
  [
    "amounts.shipping",
    "amountsshipping shippingamount shippingcost shippingprice shippingtotal ordershipping",
    readAmount,
  ],
  ["amounts.tax", "amountstax tax taxes taxamount taxtotal totaltax ordertax vat", readAmount],
  ["amounts.taxIncluded", "amountstaxincluded taxincluded taxesincluded", readFlag],
  ["amounts.fees", "amountsfees fees feetotal handling handlingfee duties", readAmount],
  [
    "amounts.refunded",
    "amountsrefunded refundedamount refundamount amountrefunded totalrefunded refundedtotal",
    readReduction,
  ],
  ["amounts.paid", "amountspaid amountpaid paidamount totalpaid", readAmount],
  ["amounts.presentmentCurrency", "amountspresentmentcurrency presentmentcurrency", readCode],
  ["amounts.presentmentTotal", "amountspresentmenttotal presentmenttotal", readPresentment],
  // Parts of the amounts of an order that stand in each of its rows.
  ["row.shipping", "rowshipping itemshipping itemshippingprice", readAmount],
  ["row.tax", "rowtax", readAmount],
  ["row.discount", "rowdiscount", readReduction],
  ["row.fees", "rowfees", readAmount],
  ["row.total", "rowtotal", readAmount],
  ["payment.method", "paymentmethod paymenttype paymentgateway"],
  ["payment.reference", "paymentreference transactionreference paymentid", readForeignCode],
  ["riskLevel", "risklevel fraudrisk", readRisk],
  ["poNumber", "ponumber purchaseordernumber purchaseorder customerpo po", readForeignCode],
  ["giftMessage", "giftmessage giftmessagetext giftnote"],
  ["requestedDeliveryDate", "requesteddeliverydate deliverydate requesteddate preferreddeliverydate", readDay],
  ["orderedAt", "orderedat orderdate dateordered purchasedate date", readDate],
  ["shipBy", "shipby shipbydate", readDate],
  ["deliverBy", "deliverby deliverbydate duedate", readDate],
  ["dispatchOn", "dispatchon dispatchdate", readDate],
  ["customer.id", "customerid customernumber customerno buyerid buyerusername", readForeignCode],
  ["customer.name", "customername customer buyername buyer"],
  ["customer.email", "customeremail email emailaddress buyeremail"],
  ["customer.phone", "customerphone buyerphone", readForeignCode],
  ["line.id", "lineid lineitemid", readForeignCode],
  ["line.sku", "linesku sku itemsku lineitemsku productsku itemcode productcode", readForeignCode],
  ["line.name", "linename itemname lineitemname productname product item title"],
  ["line.options", "lineoptions options itemoptions lineitemoptions", named("Option")],
  [
    "line.properties",
    "lineproperties personalization personalisation lineitemproperties engraving",
    named("Personalization"),
  ],
  ["line.variations", "variations variationdetails variation lineitemvariant variant varianttitle", readVariations],
  ["line.requiresShipping", "linerequiresshipping lineitemrequiresshipping requiresshipping", readFlag],
  [
    "line.quantity",
    "linequantity quantity qty itemquantity lineitemquantity itemqty quantitypurchased quantityordered",
    readNumber,
  ],
  ["line.orderedQuantity", "lineorderedquantity", readNumber],
  ["line.refundedQuantity", "linerefundedquantity refundedquantity quantityrefunded itemrefundedqty", readNumber],
  ["line.price", "lineprice price unitprice itemprice lineitemprice itemunitprice", readAmount],
  ["line.total", "linetotal itemtotal lineitemtotal", readAmount],
  ["line.discount", "linediscount lineitemdiscount itemdiscount", readReduction],
  ["line.tax", "linetax lineitemtax itemtax", readAmount],
  ["line.shippedQuantity", "lineshippedquantity", readNumber],
  ["line.fulfillmentStatus", "lineitemfulfillmentstatus", readWord],
  ["line.weight", namesWithUnits("lineweight weight itemweight lineitemweight unitweight"), readNumber],
  ["line.weightUnit", "lineweightunit weightunit weightunits weightuom", readUnit],
  ["line.productId", "lineproductid productid itemproductid listingid", readForeignCode],
  ["line.variantId", "linevariantid variantid variationid", readForeignCode],
  ["line.imageUrl", "lineimageurl imageurl productimage itemimageurl"],
  ["line.parentLineId", "lineparentlineid parentlineid", readForeignCode],
  ["line.hsCode", "linehscode hscode harmonizedcode tariffcode tariffnumber", readForeignCode],
  ["line.originCountry", "lineorigincountry origincountry countryoforigin", readCountry],
  // All items of an order in one cell.
  ["lines", "productdetails", readProducts],
  ["shipping.carrier", "shippingcarrier carrier"],
  ["shipping.service", "shippingservice service shippingmethod shipmethod"],
  ["shipping.packageType", "shippingpackagetype packagetype"],
  ["shipping.carrierAccountId", "shippingcarrieraccountid carrieraccountid"],
  ["shipping.thirdPartyBilling", "shippingthirdpartybilling", readObject],
  ["note", "note notes ordernote ordernotes customernote buyernote", readNotes],
  ["bridgeId", "bridgeid"],
  ["locationId", "locationid"],
  ["assigneeId", "assigneeid"],
  ["archived", "archived", readFlag],
  ["packages", "packages", readList],
  ["customFields", "customfields", readObject],
  // The status is derived from these if there is no status column.
  ["paidAt", "paidat datepaid paiddate", readDate],
  ["cancelledAt", "cancelledat canceledat datecancelled", readDate],
  ["shippedAt", "shippedat dateshipped shippeddate", readDate],
  ["fulfillmentStatus", "fulfillmentstatus fulfilmentstatus", readWord],
];

/** Columns of one address: "Ship To City", "Liefer-PLZ", "Code postal de livraison". */
function addressColumns(field: string, prefixes: string[], suffixes: string[]): SheetField[] {
  const parts = Object.entries(addressColumnNames).map(([member, names]): SheetField => {
    // An email without a prefix is the buyer's.
    const own = prefixes.filter((prefix) => prefix !== "" || member !== "email");
    const all = own.flatMap((prefix) => names.split(" ").map((name) => prefix + name));
    const more = suffixes.flatMap((suffix) => names.split(" ").map((name) => name + suffix));
    return [`${field}.${member}`, [...all, ...more].join(" "), member === "phone" ? readForeignCode : undefined];
  });
  return [...parts, [`${field}.text`, `${field.toLowerCase()}text`, readAddressText]];
}

export const orderFields: readonly SheetField[] = [
  ...fields.map(([field, names, read]): SheetField => [field, withTranslations(field, names), read]),
  ...addressColumns("shippingAddress", shippingPrefixes, shippingSuffixes),
  ...addressColumns("billingAddress", billingPrefixes, billingSuffixes),
];

/** Fields with columns of which one is filled: the first value counts. */
export const spareFields: readonly string[] = ["payment.reference", "poNumber"];

/** Fields that several columns may have. */
export const repeatableFields = [
  "note",
  "discountCode",
  "row.shipping",
  "row.tax",
  "row.discount",
  "row.fees",
  ...spareFields,
];

const furtherFields = [
  /^customFields\.[A-Za-z][\w.-]{0,63}$/,
  // The rest is the name of the option, property or note.
  /^(line\.options|line\.properties|note)\..{1,100}$/s,
];

export function isFurtherField(field: string): boolean {
  return furtherFields.some((pattern) => pattern.test(field));
}
