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

const aliases: Record<ServiceLevel, string> = {
  media: "MEDIA|MEDIA MAIL|LIBRARY MAIL|BOUND PRINTED MATTER",
  economy:
    "ECONOMY|GROUND ECONOMY|SMART POST|SMARTPOST|SUREPOST|SURE POST|GROUND SAVER|PARCEL SELECT|PARCEL SELECT LIGHTWEIGHT|ECO",
  ground:
    "GROUND|GND|GRD|03|FXG|HD|HOME DELIVERY|GROUND HOME DELIVERY|GROUND RESIDENTIAL|GROUND COMMERCIAL|GROUND ADVANTAGE|GA|FIRST|FIRST CLASS|FIRST CLASS PACKAGE|FCPS|STANDARD|STANDARD GROUND|PARCEL",
  three_day: "3 DAY|3DAY|3 DAY SELECT|3DS|12|EXPRESS SAVER|PRIORITY|PRIORITY MAIL|PM|THREE DAY",
  two_day: "2 DAY|2DAY|2ND DAY AIR|2DA|02|SECOND DAY|SECOND DAY AIR|2ND DAY|TWO DAY",
  two_day_am: "2 DAY AM|2ND DAY AIR AM|2DAM|59|2DAY AM|TWO DAY AM",
  overnight_saver: "NEXT DAY AIR SAVER|NDA SAVER|13|STANDARD OVERNIGHT|1DP|OVERNIGHT SAVER",
  overnight:
    "NEXT DAY AIR|NEXT DAY|NDA|1DA|01|PRIORITY OVERNIGHT|OVERNIGHT|PRIORITY MAIL EXPRESS|EXPRESS|EXPRESS MAIL|PME",
  overnight_early: "NEXT DAY AIR EARLY|NEXT DAY AIR EARLY AM|NDA EARLY|14|FIRST OVERNIGHT|OVERNIGHT EARLY",
  same_day: "SAME DAY|SAMEDAY",
};

const carrierNames = /^(UPS|FEDEX|FDX|FX|USPS|DHL|ONTRAC|LASERSHIP|LSO|GSO|DEMO) /;

/** One spelling for "UPS® Ground", "ups_ground" and "GROUND". */
export function foldService(name: string): string {
  const plain = name
    .normalize("NFKC")
    .replaceAll(/[®™©]/g, "")
    .replaceAll(/(\d)(?:ND|RD|ST|TH)\b/gi, "$1")
    .toUpperCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  return plain.replace(carrierNames, "").replace(carrierNames, "");
}

const levelByAlias = new Map<string, ServiceLevel>();
for (const level of serviceLevels)
  for (const alias of aliases[level].split("|")) levelByAlias.set(foldService(alias), level);

export function levelOfService(name: string): ServiceLevel | undefined {
  return levelByAlias.get(foldService(name));
}

export type ServiceFallback = "faster" | "slower" | "none";

/** Levels to try in turn: the wanted one, then those the fallback allows, nearest first. */
export function levelsToTry(wanted: ServiceLevel, fallback: ServiceFallback): ServiceLevel[] {
  const at = serviceLevels.indexOf(wanted);
  if (fallback === "faster") return serviceLevels.slice(at);
  if (fallback === "slower") return serviceLevels.slice(0, at + 1).toReversed();
  return [wanted];
}
