import type { CellReader } from "../../core/csv/csv-cells.ts";
import { clip, readDay, readNumber, readTrackingNumber, readUnit, readWeightCell } from "../../core/csv/csv-cells.ts";
import type { Row } from "../../core/csv/csv.ts";
import type { CellError, Sheet, SheetKind } from "../../core/csv/sheet.ts";
import { settleWeight } from "../../core/csv/sheet.ts";
import { readCells } from "../../core/csv/sheet-records.ts";
import { textProblem } from "../../core/strict-json.ts";
import type { Dimensions, Weight } from "../../core/weight.ts";
import { maxWeight, namesWithUnits, readWeightUnit, weightUnitNames } from "../../core/weight.ts";
import type { ItemRequest } from "./rate-items.schemas.ts";

const problem = (code: string, message: string) => ({ problem: { code, message } });

const text =
  (maxLength: number, read: CellReader = (value) => ({ value })): CellReader =>
  (given, conventions) => {
    if (given.length > maxLength && Array.from(given).length > maxLength)
      return problem("too_long", `${clip(given)} is too long.`);
    const wrong = textProblem(given);
    return wrong ? { problem: wrong } : read(given, conventions);
  };

/** Invoices write credits as "(5.25)" or "5.25-". */
const readCharge: CellReader = (given, conventions) => {
  const [, inside] = /^\((.*)\)$/.exec(given) ?? /^(.*)-$/.exec(given) ?? [];
  const read = readNumber(inside ?? given, conventions);
  if ("problem" in read) return problem("not_a_number", `${clip(given)} is not a number.`);
  const value = (read.value as number) * (inside === undefined ? 1 : -1);
  return Math.abs(value) > maxCharge ? problem("too_large", `${clip(given)} is too large.`) : { value };
};
const maxCharge = 1_000_000;

const decimal =
  (limit: number): CellReader =>
  (given, conventions) => {
    const read = readNumber(given, conventions);
    if ("problem" in read) return read;
    if ((read.value as number) < 0) return problem("negative", `${clip(given)} is less than nothing.`);
    return (read.value as number) > limit ? problem("too_large", `${clip(given)} is too large.`) : read;
  };

const readParcelWeight: CellReader = (given, conventions) => {
  const read = readWeightCell(given, conventions);
  if ("problem" in read) return read;
  const { value } = read.value as { value: number };
  if (value < 0) return problem("negative", `${clip(given)} is less than nothing.`);
  return value > maxWeight ? problem("too_large", `${clip(given)} is too large.`) : read;
};

const readFlag: CellReader = (given) => {
  const word = given.toLowerCase();
  if (["y", "yes", "true", "1", "residential", "r", "res", "resi", "home"].includes(word)) return { value: true };
  if (["n", "no", "false", "0", "commercial", "c", "com", "comm", "business"].includes(word)) return { value: false };
  return problem("not_a_flag", `${clip(given)} is neither yes nor no.`);
};

const readCurrency: CellReader = (given) =>
  /^[A-Z]{3}$/i.test(given)
    ? { value: given.toUpperCase() }
    : problem("format", `${clip(given)} is not a currency code, such as USD.`);

const inches = new Set(["in", "inch", "inches", "i", '"']);
const centimetres = new Set(["cm", "cms", "c", "centimeter", "centimeters", "centimetre", "centimetres"]);

function toSideUnit(text: string): "in" | "cm" | undefined {
  const word = text.trim().toLowerCase();
  return inches.has(word) ? "in" : centimetres.has(word) ? "cm" : undefined;
}

/** All sides in one cell: "12.0x 10.0x 8.0", "12 x 10 x 8 in". Null: a word such as Letter. */
const readSides: CellReader = (given, conventions) => {
  if (!/\d/.test(given)) return { value: null };
  const [, numbers = "", unit = ""] = /^([\d\s.,x×*]+)([a-z"]*)$/i.exec(given) ?? [];
  const sides = numbers.split(/[x×*]/i).map((side) => readNumber(side.trim(), conventions));
  const values = sides.flatMap((side) => ("value" in side ? [side.value as number] : []));
  const isRead = values.length === 3 && sides.length === 3 && (unit === "" || toSideUnit(unit) !== undefined);
  if (!isRead) return problem("format", `${clip(given)} is not in the form 12 x 10 x 8.`);
  if (values.some((side) => side > maxSide)) return problem("too_large", `${clip(given)} is too large.`);
  const [length, width, height] = values;
  return { value: { length, width, height, ...(unit && { unit: toSideUnit(unit) }) } };
};
const maxSide = 10_000;

/** Each prefix with each suffix, in order of preference. */
const joined = (beginnings: string, endings: string): string =>
  beginnings
    .split(" ")
    .flatMap((beginning) => endings.split(" ").map((ending) => beginning + ending))
    .join(" ");

const froms = "origin from shipfrom sender senders shipper orig";
const tos = "destination dest to shipto recipient receiver receivers";
const zips = "zip zipcode postalcode postal postcode";
const states = "state province stateprovince";
const countries = "country countrycode countryterritory";
/** The billed weight comes first: other columns may be customs declarations. `ratedWeightLb` of our own exports comes last. */
const weights =
  "billedweight billableweight chargeableweight ratedweightamount weight actualweight actualweightamount packageweight " +
  "shipmentweight enteredweight ratedweight";
const weightUnits = joined("billedweight billableweight chargeableweight", "unit units unitofmeasure uom");

/** The columns of a carrier invoice, including the names that UPS, FedEx, DHL and ShipStation use. */
export const itemSheet: SheetKind = {
  noun: "Items",
  required: ["trackingNumber", "netCost"],
  weight: { value: "weight", unit: "weightUnit" },
  fields: [
    [
      "trackingNumber",
      "trackingnumber tracking trackingno trackingid trackingnum expressorgroundtrackingid shipmenttrackingnumber " +
        "packagetrackingnumber awb airwaybill airwaybillnumber waybillnumber shipmentnumber",
      text(100, readTrackingNumber),
    ],
    [
      "netCost",
      "netcost cost netcharge netamount netchargeamount netchrg amount charge totalcharge totalcost total totalamount price paid " +
        "carrierfee labelcost shipmentcost shippingcost amountshippingcost",
      readCharge,
    ],
    [
      "serviceType",
      "servicetype service servicename servicelevel shipmethod shippingmethod carrierserviceselected serviceselected " +
        "carrierservice shipmentservice productname groundservice",
      text(100),
    ],
    [
      "chargeType",
      "chargetype chargedescription chargename chargedescriptioncode chargecode chargecategory",
      text(100),
    ],
    ["originZip", joined(froms, zips), text(20)],
    ["originCity", joined(froms, "city"), text(100)],
    ["originState", joined(froms, states), text(100)],
    ["destinationZip", `${joined(tos, zips)} ${zips}`, text(20)],
    ["destinationCity", `${joined(tos, "city")} city`, text(100)],
    ["destinationState", `${joined(tos, states)} state`, text(100)],
    // Preferred over `origin`, which can be the country of origin of the goods.
    ["originCountry", joined("shipfrom sender senders shipper from origin orig", countries), text(60)],
    ["destinationCountry", `${joined(tos, countries)} country countrycode foreigncountry`, text(60)],
    ["weight", namesWithUnits(weights), readParcelWeight],
    ["weightUnit", `${weightUnits} ${weightUnitNames} actualweightunits enteredweightunitofmeasure`, readUnit],
    ["length", "length dimlength packagelength shipmentlength", decimal(maxSide)],
    ["width", "width dimwidth packagewidth shipmentwidth", decimal(maxSide)],
    ["height", "height dimheight packageheight shipmentheight", decimal(maxSide)],
    ["dimensions", "dimensions packagedimensions dims", readSides],
    [
      "dimensionUnit",
      "dimensionunit dimunit dimunits dimensionuom dimensionunitofmeasure packagedimensionunitofmeasure dimensionsunit",
    ],
    ["residential", "residential isresidential residentialflag residentialindicator", readFlag],
    ["shipDate", "shipdate shipmentdate shippedon shippeddate dateshippeddate dateshipped pickupdate date", readDay],
    ["transactionDate", "transactiondate", readDay],
    ["currency", "currency currencycode transactioncurrencycode invoicecurrencycode", readCurrency],
    [
      "leadTrackingNumber",
      "leadtrackingnumber leadshipmentnumber leadshipment mastertrackingnumber tdmastertrackingid",
      text(100, readTrackingNumber),
    ],
  ],
};

/** The cells of a row; weight and dimensions may be spread over several. */
type Cells = Omit<ItemRequest, "weight" | "dimensions"> & {
  dimensions?: (Omit<Dimensions, "unit"> & Partial<Pick<Dimensions, "unit">>) | null;
  /** Used as the ship date if there is no other. */
  transactionDate?: string;
  weight?: Partial<Weight>;
  weightUnit?: Weight["unit"];
  length?: number;
  width?: number;
  height?: number;
  dimensionUnit?: string;
};

/** Reads a row as an item; problems are added to `errors`. */
export function readItem(sheet: Sheet, row: Row, errors: CellError[]): ItemRequest | undefined {
  const before = errors.length;
  const cells = readCells(sheet, row, errors).map(({ field, value }) => [field, value]);
  const {
    weight: written,
    weightUnit,
    dimensions: inOneCell,
    dimensionUnit,
    transactionDate,
    shipDate = transactionDate,
    ...rest
  } = Object.fromEntries(cells) as Cells;
  const { length, width, height, ...own } = rest;
  const item = { ...own, ...(shipDate !== undefined && { shipDate }) };
  const fail = (field: string, code: string, message: string): undefined => {
    const column = sheet.columns.find((known) => known.field === field)?.column ?? null;
    errors.push({ row: row.number, column, code, message });
  };
  const weight = weightOf();
  const dimensions = sizeOf();
  if (errors.length > before) return undefined;
  return { ...item, ...(weight && { weight }), ...(dimensions && { dimensions }) };

  function weightOf(): Weight | undefined {
    const { unit = weightUnit } = written ?? {};
    if (weightUnit && unit !== weightUnit && readWeightUnit(weightUnit) !== undefined)
      return fail("weight", "conflicting_value", `The weight is in ${unit}, but the unit column says ${weightUnit}.`);
    const said: { weight?: Partial<Weight> } = written ? { weight: { ...written, ...(unit && { unit }) } } : {};
    settleWeight(said, sheet);
    const settled = said.weight as Weight | undefined;
    if (settled === undefined || readWeightUnit(settled.unit) !== undefined) return settled;
    return fail("weightUnit", "enum", `${clip(settled.unit)} is not one of lb, oz, kg, g.`);
  }
  function sizeOf(): Dimensions | undefined {
    const sides = [length, width, height].some((side) => side) ? { length, width, height } : (inOneCell ?? {});
    const given = [sides.length, sides.width, sides.height];
    if (!given.some((side) => side)) return undefined;
    if (!sides.length || !sides.width || !sides.height) {
      return fail("length", "incomplete", "Length, width and height are required together.");
    }
    const unit = inOneCell?.unit ?? toSideUnit(dimensionUnit ?? "in");
    if (unit === undefined) return fail("dimensionUnit", "enum", `${clip(dimensionUnit!)} is not one of in, cm.`);
    return { length: sides.length, width: sides.width, height: sides.height, unit };
  }
}
