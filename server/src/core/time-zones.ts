import type { Address } from "./address.ts";
import { countryCodeOf } from "./country-codes.ts";
import { stateOfZip } from "./zip-states.ts";

const eastern = "America/New_York";
const central = "America/Chicago";
const mountain = "America/Denver";
const pacific = "America/Los_Angeles";

/** Where most people of the state live. Military addresses (AA, AE, AP) are in no zone that could be known. */
const usStateZones: Record<string, string> = {
  ...zonesOf(eastern, "CT DC DE FL GA KY MA MD ME NC NH NJ NY OH PA RI SC VA VT WV"),
  ...zonesOf(central, "AL AR IA IL KS LA MN MO MS ND NE OK SD TN TX WI"),
  ...zonesOf(mountain, "CO MT NM UT WY"),
  ...zonesOf(pacific, "CA NV OR WA"),
  AK: "America/Anchorage",
  AS: "Pacific/Pago_Pago",
  AZ: "America/Phoenix",
  GU: "Pacific/Guam",
  HI: "Pacific/Honolulu",
  ID: "America/Boise",
  IN: "America/Indiana/Indianapolis",
  MI: "America/Detroit",
  MP: "Pacific/Guam",
  PR: "America/Puerto_Rico",
  VI: "America/Puerto_Rico",
};

/** Parts of states with another zone than the state, by the beginning of the ZIP; the longest beginning counts. */
const usZipZones: Record<string, string> = {
  // Florida west of the Apalachicola.
  ...zonesOf(central, "324 325"),
  // Around Gary and Evansville: Starke, Jasper and Newton, Perry and Spencer share their first three digits with others.
  ...zonesOf(central, "463 464 476 477 46531 46532 46534 46968"),
  ...zonesOf(central, "47922 47943 47948 47951 47963 47964 47977 47978"),
  ...zonesOf(
    central,
    "47515 47520 47523 47525 47531 47536 47537 47550 47551 47552 47556 47574 47576 47577 47579 47586 47588",
  ),
  // Western Kentucky, with Breckinridge, Grayson, Hart, Green, Adair, Cumberland, Russell and Clinton.
  ...zonesOf(central, "420 421 422 423 424"),
  ...zonesOf(central, "40111 40115 40119 40140 40143 40144 40145 40146 40152 40153 40170 40176 40178"),
  ...zonesOf(
    central,
    "42712 42713 42715 42717 42720 42721 42722 42726 42728 42729 42741 42742 42743 42746 42749 42753",
  ),
  ...zonesOf(central, "42754 42755 42765 42782 42602 42629 42642"),
  // Eastern Tennessee, without the places of 373 that keep the time of Nashville.
  ...zonesOf(eastern, "373 374 376 377 378 379"),
  ...zonesOf(
    central,
    "37318 37324 37330 37335 37342 37345 37347 37355 37357 37360 37366 37375 37376 37380 37388 37397",
  ),
  // The Upper Peninsula along Wisconsin.
  ...zonesOf(
    "America/Menominee",
    "49801 49802 49858 49876 49887 49892 49893 49896 49911 49915 49920 49935 49938 49968",
  ),
  // The west of the Dakotas, Nebraska, Kansas and Texas.
  ...zonesOf(mountain, "57521 57543 57547 57551 57552 57553 57567"),
  ...zonesOf(
    mountain,
    "57620 57621 57622 57623 57625 57626 57630 57633 57634 57636 57638 57639 57640 57641 57642 57644",
  ),
  ...zonesOf(mountain, "57645 57649 57651 57652 57656 57657 57658 57659 57661"),
  ...zonesOf(mountain, "586 577 693 69153 67735 67758 67878 67879 799 885"),
  ...zonesOf(mountain, "79821 79835 79836 79837 79838 79839 79847 79849 79851 79853"),
  // Northern Idaho, the east of Oregon and of Nevada.
  ...zonesOf(pacific, "835 838"),
  ...zonesOf("America/Boise", "979"),
  ...zonesOf(mountain, "89883 89825"),
  // The Navajo Nation changes its clocks, the rest of Arizona does not.
  ...zonesOf(mountain, "865 86020 86033 86035 86044 86045 86053 86054"),
  ...zonesOf("America/Adak", "99546 99547"),
};

/** Countries with one zone, or with one that nearly all of their population lives in. */
const countryZones: Record<string, string> = {
  ...citiesIn("Africa", "EG Cairo, KE Nairobi, MA Casablanca, NG Lagos, ZA Johannesburg"),
  ...citiesIn(
    "America",
    "AR Argentina/Buenos_Aires, BO La_Paz, CL Santiago, CO Bogota, CR Costa_Rica, DO Santo_Domingo, " +
      "EC Guayaquil, GT Guatemala, HN Tegucigalpa, JM Jamaica, NI Managua, PA Panama, PE Lima, PR Puerto_Rico, " +
      "PY Asuncion, SV El_Salvador, UY Montevideo, VE Caracas",
  ),
  ...citiesIn(
    "Asia",
    "AE Dubai, BD Dhaka, CN Shanghai, CY Nicosia, HK Hong_Kong, IL Jerusalem, IN Kolkata, JP Tokyo, KR Seoul, " +
      "KW Kuwait, LK Colombo, MY Kuala_Lumpur, PH Manila, PK Karachi, QA Qatar, SA Riyadh, SG Singapore, " +
      "TH Bangkok, TW Taipei, VN Ho_Chi_Minh",
  ),
  ...citiesIn("Atlantic", "IS Reykjavik"),
  ...citiesIn(
    "Europe",
    "AT Vienna, BE Brussels, BG Sofia, CH Zurich, CZ Prague, DE Berlin, DK Copenhagen, EE Tallinn, ES Madrid, " +
      "FI Helsinki, FR Paris, GB London, GR Athens, HR Zagreb, HU Budapest, IE Dublin, IT Rome, LT Vilnius, " +
      "LU Luxembourg, LV Riga, MT Malta, NL Amsterdam, NO Oslo, PL Warsaw, PT Lisbon, RO Bucharest, RS Belgrade, " +
      "SE Stockholm, SI Ljubljana, SK Bratislava, TR Istanbul, UA Kyiv",
  ),
  ...citiesIn("Pacific", "NZ Auckland"),
};

const provinceZones: Record<string, Record<string, string>> = {
  CA: {
    ...zonesOf("America/Toronto", "ON QC"),
    ...zonesOf("America/Halifax", "NS PE NB"),
    AB: "America/Edmonton",
    BC: "America/Vancouver",
    MB: "America/Winnipeg",
    NL: "America/St_Johns",
    NT: "America/Edmonton",
    SK: "America/Regina",
    YT: "America/Whitehorse",
  },
  AU: {
    ...zonesOf("Australia/Sydney", "NSW ACT"),
    NT: "Australia/Darwin",
    QLD: "Australia/Brisbane",
    SA: "Australia/Adelaide",
    TAS: "Australia/Hobart",
    VIC: "Australia/Melbourne",
    WA: "Australia/Perth",
  },
};

/** Canadian postal codes begin with a letter of their province. */
const canadianProvinces = new Map(
  "A:NL B:NS C:PE E:NB G:QC H:QC J:QC K:ON L:ON M:ON N:ON P:ON R:MB S:SK T:AB V:BC Y:YT"
    .split(" ")
    .map((pair) => pair.split(":") as [letter: string, province: string]),
);

type Place = Pick<Address, "zip" | "provinceCode" | "country" | "countryCode">;

/** The IANA zone of an address, by ZIP where states are divided. Undefined: it cannot be told from these fields. */
export function zoneOfAddress(address: Place): string | undefined {
  const { zip, provinceCode } = address;
  const country = countryOfAddress(address);
  const province = provinceCode?.trim().toUpperCase();
  if (country === "US") return zoneInTheUs(zip?.trim() ?? "", province);
  if (country === undefined) return undefined;
  const byZip = country === "CA" ? canadianProvinces.get(zip?.trim().charAt(0).toUpperCase() ?? "") : undefined;
  const zones = provinceZones[country] ?? {};
  return zones[province ?? ""] ?? zones[byZip ?? ""] ?? countryZones[country];
}

/** Its ISO code. Without a country, five digits are taken for a US ZIP. */
export function countryOfAddress({ zip, country, countryCode }: Place): string | undefined {
  if (countryCode !== undefined) return countryCode.trim().toUpperCase();
  if (country?.trim()) return countryCodeOf(country);
  return isUsZip(zip) ? "US" : undefined;
}

function zoneInTheUs(zip: string, province: string | undefined): string | undefined {
  const digits = isUsZip(zip) ? zip.slice(0, 5) : "";
  const exception = usZipZones[digits] ?? usZipZones[digits.slice(0, 3)];
  const state = (digits === "" ? undefined : stateOfZip(digits)) ?? province;
  return exception ?? (state === undefined ? undefined : usStateZones[state]);
}

function isUsZip(zip: string | undefined): boolean {
  return zip !== undefined && /^\d{5}(-\d{4})?$/.test(zip.trim());
}

export function isTimeZone(name: string): boolean {
  try {
    return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name).timeZoneId !== "";
  } catch {
    return false;
  }
}

/** The calendar day that this moment is on in this zone. */
export function localDateOf(at: string, zone: string): string {
  return Temporal.Instant.from(at).toZonedDateTimeISO(zone).toPlainDate().toString();
}

const dayShape = /^\d{4}-\d\d-\d\d$/;
const offsetShape = /(?:Z|[+-]\d\d:?\d\d)$/i;

/**
 * The moment that is meant by what is written: a day stands for its first moment in this zone, a time without an offset for
 * that time there. In one text for one instant, as it is kept.
 */
export function toMoment(text: string, zone: string): string {
  // What files are full of, without the calendar.
  if (zone === "UTC") return new Date(dayShape.test(text) || offsetShape.test(text) ? text : `${text}Z`).toISOString();
  if (dayShape.test(text)) return toText(Temporal.PlainDate.from(text).toZonedDateTime(zone));
  if (offsetShape.test(text)) return new Date(text).toISOString();
  return toText(Temporal.PlainDateTime.from(text).toZonedDateTime(zone));
}

const unfinished = /^(\d{4})(?:-(\d\d)(?:-(\d\d)(?:T(\d\d)(?::(\d\d)(?::(\d\d(?:\.\d{1,9})?))?)?)?)?)?$/i;

/** The first moment of the year, month, day, hour or minute that is written, in this zone; undefined: it is none of them. */
export function beginningOf(text: string, zone: string): string | undefined {
  const found = unfinished.exec(text);
  if (!found) return undefined;
  const [, year, month = "01", day = "01", hour = "00", minute = "00", second = "00"] = found;
  try {
    return toMoment(`${year}-${month}-${day}T${hour}:${minute}:${second}`, zone);
  } catch {
    return undefined;
  }
}

function toText({ epochMilliseconds }: Temporal.ZonedDateTime): string {
  return new Date(epochMilliseconds).toISOString();
}

/** A calendar day, and not a moment. */
export function isDay(text: string): boolean {
  return dayShape.test(text);
}

/** The first moment after this calendar day in this zone. */
export function endOfLocalDate(date: string, zone: string): string {
  const next = Temporal.PlainDate.from(date).add({ days: 1 });
  return toText(next.toZonedDateTime(zone));
}

/** The calendar days from the first to the last, both included. */
export function daysFrom(first: string, last: string): string[] {
  const start = Temporal.PlainDate.from(first);
  const { days } = start.until(last);
  return Array.from({ length: days + 1 }, (_, i) => start.add({ days: i }).toString());
}

function zonesOf(zone: string, places: string): Record<string, string> {
  return Object.fromEntries(places.split(" ").map((place) => [place, zone]));
}

/** By country, the city that its zone is named after. */
function citiesIn(continent: string, places: string): Record<string, string> {
  const pairs = places.split(", ").map((place) => place.split(" ") as [country: string, city: string]);
  return Object.fromEntries(pairs.map(([country, city]) => [country, `${continent}/${city}`]));
}
