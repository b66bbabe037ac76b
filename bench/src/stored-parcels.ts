const origins = ["07114", "60601", "90001", "30301"];
const services = ["UPS Ground", "UPS Ground", "UPS Ground", "UPS 2nd Day Air", "SurePost"];
const header =
  "trackingNumber,netCost,serviceType,originZip,destinationZip,destinationCity,weight,weightUnit,length,width,height,residential";

/** Deterministic parcels of an invoice; one in ten has no weight. */
export function parcelsCsv(count: number): string {
  const lines = [header];
  for (let i = 0; i < count; i++) {
    const mixed = Math.imul(i + 1, 2_654_435_761) >>> 0;
    const zip = String(1001 + (mixed % 98_000)).padStart(5, "0");
    const weight = i % 10 === 0 ? "," : `${(mixed % 2000) / 100 + 0.1},lb`;
    const size = i % 3 === 0 ? `${4 + (mixed % 16)},${3 + (mixed % 9)},${2 + (mixed % 7)}` : ",,";
    const cost = (800 + (mixed % 3500)) / 100;
    const service = services[mixed % services.length];
    const residential = ["yes", "no", ""][mixed % 3];
    lines.push(
      `1Z${i},${cost},${service},${origins[mixed % origins.length]},${zip},Anytown,${weight},${size},${residential}`,
    );
  }
  return lines.join("\n");
}
