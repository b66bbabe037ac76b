import type { CellReader } from "../../core/csv/csv-cells.ts";
import { clip, readDay, readNumber, readTrackingNumber, readUnit, readWeightCell } from "../../core/csv/csv-cells.ts";
import type { Row } from "../../core/csv/csv.ts";
import type { CellError, Sheet, SheetKind } from "../../core/csv/sheet.ts";
import { readCells, settleWeight } from "../../core/csv/sheet.ts";
import { textProblem } from "../../core/strict-json.ts";
import type { Dimensions, Weight } from "../../core/weight.ts";
import { maxWeight, namesWithUnits, readWeightUnit, weightUnitNames } from "../../core/weight.ts";
import type { ItemRequest } from "./rate-comparisons.schemas.ts";

const problem = (code: string, message: string) => ({ problem: { code, message } });

const text =
  (maxLength: number, read: CellReader = (value) => ({ value })): CellReader =>
  (given, conventions) => {
    if (given.length > maxLength && Array.from(given).length > maxLength)
      return problem("too_long", `${clip(given)} is too long.`);
    const wrong = textProblem(given);
    return wrong ? { problem: wrong } : read(given, conventions);
  };

/** "(5.25)" and "5.25-" are how invoices write credits. */
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
  if (["y", "yes", "true", "1", "residential", "r"].includes(word)) return { value: true };
  if (["n", "no", "false", "0", "commercial", "c"].includes(word)) return { value: false };
  return problem("not_a_flag", `${clip(given)} is neither yes nor no.`);
};

const readCurrency: CellReader = (given) =>
  /^[A-Z]{3}$/i.test(given)
    ? { value: given.toUpperCase() }
    : problem("format", `${clip(given)} is no currency such as USD.`);

/** What a row of a carrier's invoice can say. */
export const itemSheet: SheetKind = {
  noun: "Items",
  required: ["trackingNumber", "netCost"],
  weight: { value: "weight", unit: "weightUnit" },
  fields: [
    [
      "trackingNumber",
      "trackingnumber tracking trackingno trackingid trackingnum awb airwaybill",
      text(100, readTrackingNumber),
    ],
    [
      "netCost",
      "netcost cost netcharge netamount netchargeamount amount charge totalcharge totalcost total price paid",
      readCharge,
    ],
    ["serviceType", "servicetype service servicename servicelevel shipmethod shippingmethod", text(100)],
    [
      "originZip",
      "originzip fromzip shipfromzip senderzip shipperzip originpostalcode originpostal senderpostalcode",
      text(20),
    ],
    ["originCity", "origincity fromcity sendercity shippercity", text(100)],
    ["originState", "originstate fromstate senderstate shipperstate", text(100)],
    [
      "destinationZip",
      "destinationzip destzip tozip shiptozip recipientzip receiverzip destinationpostalcode receiverpostalcode zip",
      text(20),
    ],
    ["destinationCity", "destinationcity destcity tocity recipientcity receivercity city", text(100)],
    ["destinationState", "destinationstate deststate tostate recipientstate receiverstate state", text(100)],
    ["originCountry", "origincountry fromcountry shipfromcountry sendercountry shippercountry", text(60)],
    [
      "destinationCountry",
      "destinationcountry destcountry tocountry shiptocountry recipientcountry receivercountry country countrycode abroad",
      text(60),
    ],
    ["weight", namesWithUnits("weight actualweight packageweight ratedweight billedweight"), readParcelWeight],
    ["weightUnit", weightUnitNames, readUnit],
    ["length", "length dimlength packagelength", decimal(10_000)],
    ["width", "width dimwidth packagewidth", decimal(10_000)],
    ["height", "height dimheight packageheight", decimal(10_000)],
    ["dimensionUnit", "dimensionunit dimunit dimensionuom"],
    ["residential", "residential isresidential residentialflag", readFlag],
    ["shipDate", "shipdate shipmentdate shippedon shippeddate pickupdate date", readDay],
    ["currency", "currency currencycode", readCurrency],
  ],
};

/** What the cells say; weight and size are spread over several. */
type Cells = Omit<ItemRequest, "weight" | "dimensions"> & {
  weight?: Partial<Weight>;
  weightUnit?: Weight["unit"];
  length?: number;
  width?: number;
  height?: number;
  dimensionUnit?: string;
};

/** One row as an item; what is wrong with it goes to `errors`. */
export function readItem(sheet: Sheet, row: Row, errors: CellError[]): ItemRequest | undefined {
  const before = errors.length;
  const cells = readCells(sheet, row, errors).map(({ field, value }) => [field, value]);
  const {
    weight: written,
    weightUnit,
    length,
    width,
    height,
    dimensionUnit,
    ...item
  } = Object.fromEntries(cells) as Cells;
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
      return fail(
        "weight",
        "conflicting_value",
        `The weight is in ${unit} here, and in ${weightUnit} in the column of units.`,
      );
    const said: { weight?: Partial<Weight> } = written ? { weight: { ...written, ...(unit && { unit }) } } : {};
    settleWeight(said, sheet);
    const settled = said.weight as Weight | undefined;
    if (settled === undefined || readWeightUnit(settled.unit) !== undefined) return settled;
    return fail("weightUnit", "enum", `${clip(settled.unit)} is none of lb, oz, kg, g.`);
  }
  function sizeOf(): Dimensions | undefined {
    if (![length, width, height].some((side) => side)) return undefined;
    if (!length || !width || !height) {
      return fail("length", "incomplete", "Length, width and height belong together.");
    }
    const unit = (dimensionUnit ?? "in").toLowerCase().replace(/^inch(es)?$/, "in");
    if (unit !== "in" && unit !== "cm") return fail("dimensionUnit", "enum", `${clip(unit)} is none of in, cm.`);
    return { length, width, height, unit };
  }
}
