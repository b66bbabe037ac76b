import { cleanAddress } from "../../core/clean-address.ts";
import { readCode, readDate, readDay, readNumber, readTrackingNumber, readUnit } from "../../core/csv/csv-cells.ts";
import { addressFields } from "../../core/csv/csv-columns.ts";
import type { SheetKind } from "../../core/csv/sheet.ts";
import { settleWeight } from "../../core/csv/sheet.ts";
import { readSheet } from "../../core/csv/sheet-records.ts";
import { reportOn } from "../../core/csv/sheet-report.ts";
import { namesWithUnits, weightUnitNames } from "../../core/weight.ts";
import type { RowFailure } from "../../core/row-failure.ts";
import type { Ctx } from "../../context.ts";
import { change } from "../../context.ts";
import { findTimeZone } from "../organizations/organizations.ts";
import { createdOf, findStoredTwins, insertPrepared, prepareShipments, recordBatch } from "./create-shipments.ts";
import type { ImportAnswer } from "./shipment-answers.schemas.ts";
import type { ImportRequest } from "./shipments.schemas.ts";
import { maxBulkShipments } from "./shipments.schemas.ts";

/** The columns of a shipment file, one row per shipment. */
const shipmentSheet: SheetKind = {
  noun: "Shipments",
  fields: [
    ["trackingNumber", "trackingnumber tracking trackingno trackingid airwaybill awb", readTrackingNumber],
    ["orderNumber", "ordernumber orderno order orderid reference"],
    ["carrier", "carrier carriername shippingcarrier"],
    ["service", "service servicetype servicelevel shippingservice shippingmethod"],
    ["shippedAt", "shippedat shipdate shippeddate dateshipped date", readDate],
    ["promisedDate", "promiseddate promisedat promisedate deliverby expecteddelivery duedate", readDay],
    ["acceptedAt", "acceptedat pickedupat firstscan pickupdate", readDate],
    ["deliveredAt", "deliveredat deliverydate datedelivered delivered", readDate],
    ["weight.value", namesWithUnits("weight weightvalue packageweight"), readNumber],
    ["weight.unit", weightUnitNames, readUnit],
    ["cost", "cost netcost shippingcost netcharge amount", readNumber],
    ["currency", "currency currencycode", readCode],
    ...addressFields("destination", ["destination", "shipto", "recipient", "receiver", "to", "delivery", ""]),
    ...addressFields("origin", ["origin", "shipfrom", "sender", "from"]),
  ],
  weight: { value: "weight.value", unit: "weight.unit" },
  finish({ request }, sheet) {
    settleWeight(request, sheet);
    for (const side of ["origin", "destination"]) {
      if (request[side]) request[side] = cleanAddress(request[side]);
    }
  },
};

/** Imports shipments from a spreadsheet. Valid rows are created; invalid rows are returned with the reason. */
export async function importShipments(ctx: Ctx, request: ImportRequest): Promise<ImportAnswer> {
  const { csv, dryRun = false, ...options } = request;
  // Room for the header and blank rows.
  const limits = { maxRows: 2 * maxBulkShipments, maxRecords: maxBulkShipments };
  const timeZone = await findTimeZone(ctx, ctx.orgId);
  const sheet = await readSheet(csv, shipmentSheet, { ...options, ...limits, timeZone });
  const sound = sheet.records.filter(({ errors }) => errors.length === 0);
  const prepared = await prepareShipments(
    ctx,
    sound.map((record) => record.request),
    "import",
  );
  const answer = (failures: (RowFailure | undefined)[]): ImportAnswer => ({ dryRun, ...reportOn(sheet, failures) });
  if (dryRun) {
    const stored = await findStoredTwins(ctx.db, ctx.orgId, prepared.drafts);
    return answer(sound.map((_, index) => prepared.failures.get(index) ?? stored.get(index)));
  }
  return await change(ctx, async (tx) => {
    const outcomes = await insertPrepared(tx, ctx, prepared);
    recordBatch(tx, ctx, outcomes.flatMap(createdOf), "csv");
    return answer(outcomes.map((outcome) => ("failure" in outcome ? outcome.failure : undefined)));
  });
}
