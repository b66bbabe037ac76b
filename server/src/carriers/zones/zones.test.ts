import { describe, expect, test } from "vitest";
import { toMg } from "../rate-card/measures.ts";
import type { ServiceLevel } from "../rate-card/service-level.ts";
import { foldService, levelOfService } from "../rate-card/service-level.ts";
import { chartFromCsv } from "./chart-csv.ts";
import type { FoundZone } from "./resolve-zone.ts";
import { resolveZone, zoneRules } from "./resolve-zone.ts";
import { normaliseZip } from "./zip.ts";
import { checkChart, compileChart, zoneInChart } from "./zone-chart.ts";

const usps = zoneRules("usps");
const ups = zoneRules("ups");
const fedex = zoneRules("fedex");

function zone(rules: typeof usps, from: string, to: string): string | undefined {
  const pad = (zip: string): string => zip.padEnd(5, "0");
  return (resolveZone(rules, { zip: pad(from) }, { zip: pad(to) }) as FoundZone).zone;
}

describe("zones by distance", () => {
  // Rows of the carrier's charts of April 2024.
  const charts: Record<string, Record<string, string>> = {
    "070": row("021:3,100:1,191:2,200:3,283:4,303:5,331:6,432:4,606:5,752:6,770:7,802:7,900:8,009:7"),
    "850": row("021:8,303:7,432:7,554:6,606:7,631:6,752:5,802:4,841:4,850:1,891:3,900:4,941:5,981:6,967:8"),
    "902": row("554:7,606:7,701:7,752:6,802:5,841:4,850:4,891:3,900:1,941:4,972:5"),
    "787": row("021:7,200:6,303:5,606:5,701:4,752:3,770:2,802:5,900:6,981:7"),
  };
  test.each(Object.keys(charts))("agree with the published chart of %s", (origin) => {
    const wanted = charts[origin]!;
    expect(Object.fromEntries(Object.keys(wanted).map((to) => [to, zone(usps, origin, to)]))).toEqual(wanted);
  });

  test("agree with published examples of single lanes", () => {
    const lanes = row("197-441:4,906-441:8,701-372:4,752-900:6,752-606:5,900-941:4,900-100:8,606-802:5,606-787:5");
    const found = Object.keys(lanes).map((lane) => [lane, zone(usps, ...(lane.split("-") as [string, string]))]);
    expect(Object.fromEntries(found)).toEqual(lanes);
  });

  test("are one zone off where the model is known to be, and never more", () => {
    expect(zone(usps, "303", "331")).toBe("5");
    expect(zone(usps, "902", "372")).toBe("7");
    expect(zone(usps, "330", "331")).toBe("1");
  });

  test("say so when the next zone is near, and which one it is", () => {
    const found = resolveZone(usps, { zip: "38000" }, { zip: "06400" }) as FoundZone;
    expect(found).toMatchObject({ zone: "5", source: "distance", distanceMiles: 976 });
    expect(found.alternativeZone).toBeUndefined();
    const near = resolveZone(usps, { zip: "30301" }, { zip: "33101" }) as FoundZone;
    expect([near.zone, near.alternativeZone, near.distanceMiles]).toEqual(["5", "4", 607]);
  });
});

describe("special zones", () => {
  test("Palau, the Marshall Islands and Micronesia are zone 9 of the postal service, Guam is not", () => {
    expect(["96940", "96960", "96970", "96939", "96944"].map((zip) => zone(usps, "10001", zip))).toEqual(
      Array.from({ length: 5 }, () => "9"),
    );
    expect(["96910", "96938", "96945", "96961"].map((zip) => zone(usps, "10001", zip))).toEqual(["8", "8", "8", "8"]);
  });

  test("military addresses are zoned like the gate that their mail leaves through, and others do not deliver there", () => {
    expect(zone(usps, "10001", "09012")).toBe(zone(usps, "10001", "11501"));
    expect(zone(usps, "60601", "34002")).toBe(zone(usps, "60601", "33101"));
    expect(zone(usps, "60601", "96301")).toBe(zone(usps, "60601", "94601"));
    for (const rules of [ups, fedex]) {
      expect(resolveZone(rules, { zip: "10001" }, { zip: "09012" })).toMatchObject({ reason: "not_serviceable" });
    }
  });

  test("light mail of the postal service to military addresses overseas is zoned to Chicago, whose gate it leaves through", () => {
    const pound = toMg({ value: 1, unit: "lb" });
    const zoneAt = (rules: typeof usps, from: string, to: string, level: ServiceLevel, weightMg?: number) =>
      (resolveZone(rules, { zip: from }, { zip: to }, { names: new Set(), level }, weightMg) as FoundZone).zone;
    for (const to of ["09012", "96301"]) {
      for (const from of ["10001", "60601", "94601"]) {
        for (const level of ["ground", "three_day"] as const) {
          expect(zoneAt(usps, from, to, level, pound - 1)).toBe(zone(usps, from, "60601"));
          expect(zoneAt(usps, from, to, level, pound)).toBe(zone(usps, from, to));
          expect(zoneAt(usps, from, to, level)).toBe(zone(usps, from, to));
        }
        expect(zoneAt(usps, from, to, "overnight", 1)).toBe(zone(usps, from, to));
      }
    }
    expect(zone(usps, "10001", "09012")).not.toBe(zone(usps, "10001", "60601"));
    expect(zoneAt(usps, "10001", "34002", "ground", 1)).toBe(zone(usps, "10001", "33101"));
    expect(zoneAt(usps, "10001", "90210", "ground", 1)).toBe(zone(usps, "10001", "90210"));
  });

  test("Alaska, Hawaii and Puerto Rico have zones of their own with parcel carriers", () => {
    expect(["99501", "96813", "00901"].map((zip) => zone(ups, "10001", zip))).toEqual(["44", "44", "45"]);
    expect(["99501", "96813"].map((zip) => zone(fedex, "10001", zip))).toEqual(["17", "9"]);
    expect(resolveZone(fedex, { zip: "10001" }, { zip: "00901" })).toMatchObject({ reason: "not_serviceable" });
    expect(zone(ups, "10001", "10002")).toBe("2");
    expect(zone(usps, "10001", "96813")).toBe("8");
  });
});

describe("places", () => {
  test("without a ZIP are zoned by their state, which is never sure", () => {
    const found = resolveZone(usps, { state: "ny" }, { zip: "90210" }) as FoundZone;
    expect(found).toMatchObject({ zone: "8", source: "state", alternativeZone: "7" });
    expect(resolveZone(usps, { state: "XX" }, { zip: "90210" })).toMatchObject({ reason: "zone_unresolved" });
    expect(resolveZone(usps, { zip: "10001" }, { zip: "what" })).toMatchObject({ reason: "zone_unresolved" });
    expect(resolveZone(ups, { zip: "10001" }, { state: "AK" })).toMatchObject({ zone: "44" });
  });

  test("are read as spreadsheets leave them", () => {
    expect(
      ["5010001", "2134", "02134", "02134-1234", "021341234", " 2134 ", "2134.0"].map((zip) => normaliseZip(zip)),
    ).toEqual(["00501", "02134", "02134", "02134", "02134", "02134", "02134"]);
    // The beginning of a ZIP in Los Angeles is none in San Juan.
    expect(["", "12", "902", "1234567890", "K1A 0B1", "9021O", null].map((zip) => normaliseZip(zip))).toEqual(
      Array.from({ length: 7 }),
    );
  });

  test("states are known by their names, too", () => {
    for (const state of ["NY", "new york", " New York "]) {
      expect(resolveZone(ups, { zip: "07114" }, { state })).toEqual(
        resolveZone(ups, { zip: "07114" }, { state: "NY" }),
      );
      expect(resolveZone(ups, { zip: "07114" }, { state })).toMatchObject({ source: "state" });
    }
  });
});

describe("a chart of the carrier", () => {
  const csv = "Dest. ZIP,Ground,3 Day Select\n004-005,008,308\n006,045,-\n10001,3,303\n100,2,302\n";

  test("goes before the distance, the narrowest row first, and by service", async () => {
    const read = await chartFromCsv(csv, "900-902");
    const rules = zoneRules("ups", [], compileChart("rows" in read ? read.rows : []));
    const at = (zip: string, service: string) => {
      const charted = { names: new Set([foldService(service)]), level: levelOfService(service)! };
      return resolveZone(rules, { zip: "90101" }, { zip }, charted);
    };
    expect(at("10001", "UPS Ground")).toEqual({ zone: "3", source: "chart" });
    expect(at("10002", "ground")).toEqual({ zone: "2", source: "chart" });
    expect(at("00501", "3_day_select")).toEqual({ zone: "308", source: "chart" });
    expect(at("00601", "3 Day Select")).toMatchObject({ reason: "not_serviceable" });
    expect(at("60601", "Ground")).toMatchObject({ source: "distance" });
    expect(resolveZone(zoneRules("chart", [], rules.chart), { zip: "90101" }, { zip: "60601" })).toMatchObject({
      reason: "zone_unresolved",
    });
  });

  test("is read with the footnotes that carriers put into it", async () => {
    const csv =
      "Dest. ZIP,Ground,3 Day Select\n967-968,[1],224*\n100,2[2],302\u2020\n[1] See the list for Hawaii,,\n* By air\n";
    expect(await chartFromCsv(csv, "900")).toEqual({
      rows: [
        { origin: "900", destination: "967-968", zone: "224", service: "3 Day Select" },
        { origin: "900", destination: "100", zone: "2", service: "Ground" },
        { origin: "900", destination: "100", zone: "302", service: "3 Day Select" },
      ],
    });
  });

  test("is read as UPS publishes it: titles with the origin, lists for the islands below", async () => {
    const csv =
      'UPS Zone Chart,,,\n"For shipments originating in ZIP Codes 070-01 to 079-99, find the destination below",,,\n\n' +
      "Dest. ZIP,Ground,2nd Day Air,Next Day Air\n004-005,002,202,102\n967-968,[1],[1],[1]\n969,-,-,-\n\n[1] Hawaii,,,\n";
    const of = { origin: "07001-07999", destination: "004-005" };
    expect(await chartFromCsv(csv)).toEqual({
      rows: [
        { ...of, zone: "2", service: "Ground" },
        { ...of, zone: "202", service: "2nd Day Air" },
        { ...of, zone: "102", service: "Next Day Air" },
        ...["Ground", "2nd Day Air", "Next Day Air"].map((service) => ({
          origin: "07001-07999",
          destination: "969",
          zone: null,
          service,
        })),
      ],
    });
  });

  test("is read as USPS publishes it: blocks beside each other, marked zones, kinds of mail", async () => {
    const csv =
      "ZIP Code,Zone,MailService,ZIP Code,Zone,MailService\n005---089,8,,962---966,8*,Priority Mail\n4,7+,,,,\n96939---96944,9,,,,\n";
    const read = await chartFromCsv(csv, "902");
    expect("rows" in read && read.rows.map(({ destination, zone }) => [destination, zone])).toEqual([
      ["005-089", "8"],
      ["962-966", "8"],
      ["004", "7"],
      ["96939-96944", "9"],
    ]);
  });

  test("has zones of FedEx Express for all services by air, after those of a service", async () => {
    const read = await chartFromCsv("Destination ZIP,FedEx Express Zone,Ground Zone\n995-999,9,17\n100,5,4\n", "070");
    const rows =
      "rows" in read ? [...read.rows, { origin: "070", destination: "100", zone: "6", service: "2Day" }] : [];
    const chart = compileChart(rows);
    const zoneFor = (service: string, zip: string): unknown => {
      const charted = { names: new Set([foldService(service)]), level: levelOfService(service)! };
      return zoneInChart(chart, "07001", zip, charted);
    };
    const [anchorage, manhattan] = ["99501", "10001"];
    expect(["Ground", "Express Saver", "2Day", "Priority Overnight"].map((name) => zoneFor(name, anchorage))).toEqual([
      "17",
      "9",
      "9",
      "9",
    ]);
    expect(["Ground", "2Day", "Priority Overnight"].map((name) => zoneFor(name, manhattan))).toEqual(["4", "6", "5"]);
    expect(zoneInChart(chart, "07001", anchorage)).toBeUndefined();
  });

  test("is refused with row and column of every mistake", async () => {
    const read = await chartFromCsv("destination,zone\n100,2\nabc,3\n200,way too long\n", "900");
    expect("errors" in read && read.errors.map(({ row, column, code }) => [row, column, code])).toEqual([
      [3, "destination", "zip_range"],
      [4, "zone", "zone"],
    ]);
    const two = await chartFromCsv("destination,zone,Ground\n100,2,2\n100,2,3\n101,4,4,4\n", "900");
    expect("errors" in two && two.errors.map(({ row, column, code }) => [row, column, code])).toEqual([
      [3, "Ground", "conflicting_rows"],
      [4, null, "too_many_cells"],
    ]);
    const rows = [null, "2"].map((zone) => ({ origin: "900", destination: "100", zone }));
    expect(checkChart(rows, "/rows")).toMatchObject([{ pointer: "/rows/1/zone", code: "conflicting_rows" }]);
    expect(await chartFromCsv("zip,zone\n1,2\n")).toMatchObject({ errors: [{ row: 1, code: "columns" }] });
    expect(await chartFromCsv("destination,zone\n100,2\n")).toMatchObject({ errors: [{ row: 1, code: "columns" }] });
  });
});

function row(text: string): Record<string, string> {
  return Object.fromEntries(text.split(",").map((cell) => cell.split(":") as [string, string]));
}
