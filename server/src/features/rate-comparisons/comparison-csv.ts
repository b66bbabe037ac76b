import type { CellReader } from "../../core/csv/csv-cells.ts";
import { clip, readDay, readNumber, readTrackingNumber, readUnit } from "../../core/csv/csv-cells.ts";
import type { Row } from "../../core/csv/csv.ts";
import type { CellError, Sheet, SheetKind } from "../../core/csv/sheet.ts";
import { readCells, settleWeight } from "../../core/csv/sheet.ts";
import { textProblem } from "../../core/strict-json.ts";
import type { Weight } from "../../core/weight.ts";
import { readWeightUnit } from "../../core/weight.ts";
import type { NewItem } from "./rate-items.store.ts";

const problem = (code: string, message: string) => ({ problem: { code, message } });

const text =
  (maxLength: number, read: CellReader = (value) => ({ value })): CellReader =>
  (given, conventions) => {
    if (given.length > maxLength) return problem("too_long", `${clip(given)} is too long.`);
    const wrong = textProblem(given);
    return wrong ? { problem: wrong } : read(given, conventions);
  };

const decimal =
  (limit: number): CellReader =>
  (given, conventions) => {
    const read = readNumber(given, conventions);
    if ("problem" in read) return read;
    if ((read.value as number) < 0) return problem("negative", `${clip(given)} is less than nothing.`);
    return (read.value as number) > limit ? problem("too_large", `${clip(given)} is too large.`) : read;
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
  fields: [
    [
      "trackingNumber",
      "trackingnumber tracking trackingno trackingid trackingnum awb airwaybill",
      text(100, readTrackingNumber),
    ],
    [
      "netCost",
      "netcost cost netcharge netamount netchargeamount amount charge totalcharge totalcost total price paid",
      decimal(1_000_000),
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
    ["weight", "weight actualweight packageweight weightlb weightlbs weightoz weightkg weightg", decimal(1_000_000)],
    ["weightUnit", "weightunit weightuom weightunits", readUnit],
    ["length", "length dimlength packagelength", decimal(10_000)],
    ["width", "width dimwidth packagewidth", decimal(10_000)],
    ["height", "height dimheight packageheight", decimal(10_000)],
    ["dimensionUnit", "dimensionunit dimunit dimensionuom"],
    ["residential", "residential isresidential residentialflag", readFlag],
    ["shipDate", "shipdate shipmentdate shippedon shippeddate pickupdate date", readDay],
    ["currency", "currency currencycode", readCurrency],
  ],
};

type Values = Partial<
  Omit<NewItem, "weight" | "dimensions"> & {
    netCost: number;
    weight: number;
    weightUnit: Weight["unit"];
    length: number;
    width: number;
    height: number;
    dimensionUnit: string;
  }
>;

/** One row as an item; what is wrong with it goes to `errors`. */
export function readItem(sheet: Sheet, row: Row, errors: CellError[]): NewItem | undefined {
  const before = errors.length;
  const cells = readCells(sheet, row, errors).map(({ field, value }) => [field, value]);
  const values = Object.fromEntries(cells) as Values;
  const fail = (field: string, code: string, message: string): null => {
    const column = sheet.columns.find((known) => known.field === field)?.column ?? null;
    errors.push({ row: row.number, column, code, message });
    return null;
  };
  const item: NewItem = {
    trackingNumber: values.trackingNumber ?? "",
    netCents: Math.round((values.netCost ?? 0) * 100),
    serviceType: values.serviceType ?? "",
    originZip: values.originZip ?? null,
    originCity: values.originCity ?? null,
    originState: values.originState ?? null,
    destinationZip: values.destinationZip ?? null,
    destinationCity: values.destinationCity ?? null,
    destinationState: values.destinationState ?? null,
    weight: weightOf(),
    dimensions: sizeOf(),
    residential: values.residential ?? null,
    shipDate: values.shipDate ?? null,
    currency: values.currency ?? null,
    isDuplicate: false,
  };
  return errors.length > before ? undefined : item;

  function weightOf(): NewItem["weight"] {
    const { weight: value, weightUnit: unit } = values;
    const said = { weight: { ...(value !== undefined && { value }), ...(unit !== undefined && { unit }) } };
    settleWeight(said, sheet, "weight");
    const weight = said.weight as Weight | undefined;
    if (weight === undefined || readWeightUnit(weight.unit) !== undefined) return weight ?? null;
    return fail("weightUnit", "enum", `${clip(weight.unit)} is none of lb, oz, kg, g.`);
  }
  function sizeOf(): NewItem["dimensions"] {
    const known = [values.length, values.width, values.height].filter((side) => side !== undefined && side > 0);
    if (known.length === 0) return null;
    if (known.length < 3) return fail("length", "incomplete", "Length, width and height belong together.");
    const unit = (values.dimensionUnit ?? "in").toLowerCase().replace(/^inch(es)?$/, "in");
    if (unit !== "in" && unit !== "cm") return fail("dimensionUnit", "enum", `${clip(unit)} is none of in, cm.`);
    return { sides: known as [number, number, number], unit };
  }
}
