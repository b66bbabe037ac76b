/** Slow to fast. A parcel may be compared with a faster service, never silently with a slower one. */
export const serviceLevels = [
  "media",
  "economy",
  "ground",
  "three_day",
  "two_day",
  "two_day_am",
  "overnight_saver",
  "overnight",
  "overnight_early",
  "same_day",
] as const;
export type ServiceLevel = (typeof serviceLevels)[number];

/** Fuel and zones differ between these two. */
export const modes = ["ground", "air"] as const;

export function modeOf(level: ServiceLevel): (typeof modes)[number] {
  return level === "media" || level === "economy" || level === "ground" ? "ground" : "air";
}

/** Usual transit time within the United States, in business days from the first scan. */
export const usualDays: Record<ServiceLevel, number> = {
  media: 8,
  economy: 8,
  ground: 5,
  three_day: 3,
  two_day: 2,
  two_day_am: 2,
  overnight_saver: 1,
  overnight: 1,
  overnight_early: 1,
  same_day: 0,
};

const aliases: Record<ServiceLevel, string> = {
  media: "MEDIA|MEDIA MAIL|LIBRARY|LIBRARY MAIL|BOUND PRINTED MATTER|BPM",
  economy:
    "ECONOMY|GROUND ECONOMY|SMART POST|SMARTPOST|SUREPOST|SURE POST|SUREPOST LESS THAN 1 LB|SUREPOST 1 LB OR GREATER|" +
    "SUREPOST UNDER 1 LB|SUREPOST 1 LB OR OVER|SUREPOST OVER 1 LB|SUREPOST BPM|SUREPOST MEDIA|GROUND SAVER|" +
    "GROUND SAVER UNDER 1 LB|GROUND SAVER 1 LB OR GREATER|PARCEL SELECT|PARCEL SELECT GROUND|PARCEL SELECT LIGHTWEIGHT|ECO|92|93",
  ground:
    "GROUND|GND|GRD|03|FXG|HD|HOME DELIVERY|GROUND HOME DELIVERY|GROUND ADVANTAGE|GA|FIRST|FIRST CLASS|FIRST CLASS MAIL|" +
    "FIRST CLASS PACKAGE|FIRST CLASS PACKAGE SERVICE|FCPS|STANDARD|STANDARD GROUND|STANDARD SHIPPING|PARCEL|RETAIL GROUND",
  three_day:
    "3 DAY|3DAY|3 DAY SELECT|3DS|12|EXPRESS SAVER|FEDEX 3 DAY|PRIORITY|PRIORITY MAIL|PM|THREE DAY|THREE DAY SELECT",
  two_day: "2 DAY|2DAY|2 DAY AIR|2DA|02|SECOND DAY|SECOND DAY AIR|2 DAY EXPRESS|TWO DAY|TWO DAY AIR|EXPEDITED 2 DAY",
  two_day_am: "2 DAY AM|2 DAY AIR AM|2DAM|59|2DAY AM|TWO DAY AM|SECOND DAY AIR AM",
  overnight_saver: "NEXT DAY AIR SAVER|NEXT DAY SAVER|NDA SAVER|NDAS|13|STANDARD OVERNIGHT|1DP|OVERNIGHT SAVER",
  overnight:
    "NEXT DAY AIR|NEXT DAY|NDA|1DA|01|PRIORITY OVERNIGHT|OVERNIGHT|PRIORITY MAIL EXPRESS|PRIORITY EXPRESS|EXPRESS|" +
    "EXPRESS MAIL|PME|PMEXPRESS|1 DAY|ONE DAY",
  overnight_early:
    "NEXT DAY AIR EARLY|NEXT DAY AIR EARLY AM|NDA EARLY|NDA EARLY AM|NEXT DAY EARLY AM|1DM|14|FIRST OVERNIGHT|OVERNIGHT EARLY",
  same_day: "SAME DAY|SAMEDAY|SAME DAY CITY",
};

/** International services whose names are those of domestic services at other carriers. */
const foreign = new Set(["UPS STANDARD", "UPS STANDARD TO CANADA", "UPS STANDARD TO MEXICO", "UPS 11", "UPS EXPRESS"]);

const carrierNames = /^(UPS|FEDEX|FED EX|FDX|FX|USPS|US POSTAL SERVICE|DHL|ONTRAC|LASERSHIP|LSO|GSO|DEMO)(?: |$)/;
/** Suffixes that describe the address or the package, not the service. */
const afterthoughts = / (RESIDENTIAL|COMMERCIAL|RESI|COMM|RES|SERVICE|PACKAGE|PKG|CUBIC|DOMESTIC|SIGNATURE|ONE RATE)$/;

/** Normalizes spellings such as "UPS® Ground" and "ups_ground"; the carrier's name stays in front. */
function foldWhole(name: string): string {
  return (
    name
      // Before NFKC, which would turn ™ into the letters TM.
      .replaceAll(/[®™©℠]/g, "")
      .normalize("NFKC")
      .toUpperCase()
      .replaceAll(/\b([AP])\.\s?M\b\.?/g, "$1M")
      .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
      .replaceAll(/\b([AP]) M\b/g, "$1M")
      .replaceAll(/(\d)(?:ND|RD|ST|TH)\b/g, "$1")
      .replaceAll(/(\d)DAY\b/g, "$1 DAY")
      .trim()
  );
}

export function foldService(name: string): string {
  const whole = foldWhole(name);
  const bare = whole.replace(carrierNames, "").replace(carrierNames, "");
  return bare === "" ? whole : bare;
}

/** Whether the name of a service begins with that of the carrier, as in "USPS Ground Advantage" and "FEDEX_GROUND". */
export function isOfCarrier(service: string, carrier: string): boolean {
  const name = foldWhole(carrier);
  return name !== "" && `${foldWhole(service)} `.startsWith(`${name} `);
}

const levelByAlias = new Map<string, ServiceLevel>();
for (const level of serviceLevels)
  for (const alias of aliases[level].split("|")) levelByAlias.set(foldService(alias), level);

export function levelOfService(name: string): ServiceLevel | undefined {
  if (foreign.has(foldWhole(name))) return undefined;
  for (let folded = foldService(name); ;) {
    const level = levelByAlias.get(folded);
    if (level !== undefined) return level;
    const shorter = folded.replace(afterthoughts, "");
    if (shorter === folded) return undefined;
    folded = shorter;
  }
}

/** Whether the name of a service or charge implies a residential address (Ground Residential, Home Delivery) or a commercial one. */
export function saysHome(name: string): boolean | undefined {
  if (/\b(commercial|comm|non-?\s?residential)\b/i.test(name)) return false;
  return /\b(residential|resi?|home delivery)\b/i.test(name) ? true : undefined;
}

export type ServiceFallback = "faster" | "slower" | "none";

/** The wanted level, then those the fallback allows, nearest first. */
export function levelsToTry(wanted: ServiceLevel, fallback: ServiceFallback): ServiceLevel[] {
  const at = serviceLevels.indexOf(wanted);
  if (fallback === "faster") return serviceLevels.slice(at);
  if (fallback === "slower") return serviceLevels.slice(0, at + 1).toReversed();
  return [wanted];
}
