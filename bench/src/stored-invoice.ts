const origins = ["07114,Newark,NJ", "60601,Chicago,IL", "90001,Los Angeles,CA", "30301,Atlanta,GA"];
const services = ["UPS Ground", "UPS Ground", "UPS Ground", "UPS 2nd Day Air", "SurePost", "UPS Next Day Air"];
const states =
  "NJ NY PA DE VA NC GA FL AL TN MS KY OH IN MI IA WI MN IL MO KS NE LA AR OK TX CO UT AZ NM CA OR WA".split(" ");
const syllables = "al bor cran dale east fair glen hamp lin mont".split(" ");
const header =
  "trackingNumber,netCost,serviceType,originZip,originCity,originState,destinationZip,destinationCity,destinationState,weight,weightUnit";

/**
 * Parcels with every searchable value, as long as in carriers' invoices: 31,000 ZIPs, a tenth of them shared by a quarter of the
 * parcels, and a thousand cities. One in ten has no weight, one in 250 an unknown service, one in 2,500 an invalid ZIP. The first
 * n parcels are the same for every size.
 */
export function invoiceCsv(count: number): string {
  const lines = [header];
  for (let i = 0; i < count; i++) {
    const mixed = Math.imul(i + 1, 2_654_435_761) >>> 0;
    const area = mixed % 4 === 0 ? mixed % 3_100 : (mixed >>> 3) % 31_000;
    const zip = i % 2_500 === 1_777 ? "ABC" : String(1_001 + area * 3).padStart(5, "0");
    const state = zip === "ABC" ? "" : states[Math.floor(area / 940)]!;
    const service = i % 250 === 77 ? "Pigeon" : services[mixed % services.length];
    const weight = i % 10 === 0 ? "," : `${(mixed % 2000) / 100 + 0.1},lb`;
    const cost = (800 + (mixed % 3500)) / 100;
    const serial = String(mixed % 100_000_000).padStart(8, "0");
    lines.push(
      `1Z999AA103${serial},${cost},${service},${origins[i % 4]},${zip},${cityOf(Math.floor(area / 31))},${state},${weight}`,
    );
  }
  return lines.join("\n");
}

function cityOf(number: number): string {
  const [a, b, c] = [number % 10, Math.floor(number / 10) % 10, Math.floor(number / 100)];
  const name = `${syllables[a]}${syllables[b]} ${syllables[c]}ville`;
  return name[0]!.toUpperCase() + name.slice(1);
}
