import { demoItems } from "./demo-comparison.ts";

const parcelCount = 60;
const header =
  "invoice number,invoice date,account,tracking number,ship date,service,charge kind,description,net amount";

/** The invoice of a week: transport and fuel for each parcel, a weekly fee and a credit. */
export function demoInvoice(day: string): string {
  const number = `DEMO-${day.replaceAll("-", "")}`;
  const row = (tracking: string, service: string, kind: string, description: string, amount: number): string =>
    [number, day, "510087", tracking, tracking === "" ? "" : day, service, kind, description, amount.toFixed(2)].join(
      ",",
    );
  const parcels = demoItems(parcelCount, day).flatMap(({ trackingNumber, serviceType = "", netCost }) => [
    row(trackingNumber, serviceType, "base", serviceType, netCost * 0.84),
    row(trackingNumber, "", "fuel", "Fuel surcharge", netCost * 0.16),
  ]);
  const [first] = demoItems(1, day);
  const [second] = demoItems(2, day).slice(1);
  const others = [
    // The audit finds that the transport of this parcel is billed twice.
    row(second!.trackingNumber, second!.serviceType ?? "", "base", second!.serviceType ?? "", second!.netCost * 0.84),
    row("", "", "fee", "Weekly service charge", 24.5),
    row(first!.trackingNumber, "", "credit", "Late delivery", -first!.netCost),
  ];
  return [header, ...parcels, ...others, ""].join("\n");
}
