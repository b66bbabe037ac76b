import { describe, expect, test } from "vitest";
import { endOfLocalDate, isTimeZone, localDateOf, zoneOfAddress } from "./time-zones.ts";

describe("the time zone of an address", () => {
  test.each([
    ["New York", { zip: "10001", countryCode: "US" }, "America/New_York"],
    ["Honolulu", { zip: "96813", provinceCode: "HI", countryCode: "US" }, "Pacific/Honolulu"],
    ["Pensacola, in the west of Florida", { zip: "32501", provinceCode: "FL", countryCode: "US" }, "America/Chicago"],
    ["Miami", { zip: "33101", provinceCode: "FL", countryCode: "US" }, "America/New_York"],
    ["El Paso", { zip: "79901", provinceCode: "TX", countryCode: "US" }, "America/Denver"],
    ["Knoxville", { zip: "37901", provinceCode: "TN", countryCode: "US" }, "America/New_York"],
    ["Tullahoma", { zip: "37388", provinceCode: "TN", countryCode: "US" }, "America/Chicago"],
    ["Gary", { zip: "46402-1234", countryCode: "US" }, "America/Chicago"],
    ["Coeur d'Alene", { zip: "83814", countryCode: "us" }, "America/Los_Angeles"],
    ["Phoenix", { zip: "85001", countryCode: "US" }, "America/Phoenix"],
    ["Window Rock", { zip: "86515", countryCode: "US" }, "America/Denver"],
    ["Knox, Indiana", { zip: "46534", countryCode: "US" }, "America/Chicago"],
    ["Rensselaer, Indiana", { zip: "47978", countryCode: "US" }, "America/Chicago"],
    ["Tell City, Indiana", { zip: "47586", countryCode: "US" }, "America/Chicago"],
    ["South Bend, Indiana", { zip: "46601", countryCode: "US" }, "America/Indiana/Indianapolis"],
    ["Leitchfield, Kentucky", { zip: "42754", countryCode: "US" }, "America/Chicago"],
    ["Elizabethtown, Kentucky", { zip: "42701", countryCode: "US" }, "America/New_York"],
    ["Lemmon, South Dakota", { zip: "57638", countryCode: "US" }, "America/Denver"],
    ["Mobridge, South Dakota", { zip: "57601", countryCode: "US" }, "America/Chicago"],
    ["Shonto, Navajo Nation", { zip: "86054", countryCode: "US" }, "America/Denver"],
    ["Cameron, Navajo Nation", { zip: "86020", countryCode: "US" }, "America/Denver"],
    ["Pago Pago", { zip: "96799", countryCode: "US" }, "Pacific/Pago_Pago"],
    ["a state alone", { provinceCode: "co", countryCode: "US" }, "America/Denver"],
    ["a ZIP alone", { zip: "60601" }, "America/Chicago"],
    ["Berlin by the name of its country", { zip: "10115", country: "Germany" }, "Europe/Berlin"],
    ["Denver by the name of its country", { provinceCode: "CO", country: "United States" }, "America/Denver"],
    ["London", { zip: "SW1A 1AA", countryCode: "GB" }, "Europe/London"],
    ["Vancouver", { provinceCode: "BC", countryCode: "CA" }, "America/Vancouver"],
    ["Toronto by its postal code", { zip: "m5h 2n2", country: "Canada" }, "America/Toronto"],
    ["Calgary by its postal code", { zip: "T2P 1J9", countryCode: "CA" }, "America/Edmonton"],
    ["Lima", { zip: "15001", countryCode: "PE" }, "America/Lima"],
  ])("%s", (_, address, zone) => {
    expect(zoneOfAddress(address)).toBe(zone);
  });

  test.each([
    ["a country with several zones and no province", { countryCode: "CA" }],
    ["the far north of Canada", { zip: "X0A 0H0", countryCode: "CA" }],
    ["a military address", { zip: "09012", provinceCode: "AE", countryCode: "US" }],
    ["nothing", {}],
    ["an unknown country", { zip: "10001", country: "Atlantis" }],
    ["Brazil", { countryCode: "BR" }],
  ])("is unknown for %s", (_, address) => {
    expect(zoneOfAddress(address)).toBeUndefined();
  });
});

test("a day ends at midnight of its zone, also on days with a clock change", () => {
  expect(endOfLocalDate("2026-03-08", "America/New_York")).toBe("2026-03-09T04:00:00.000Z");
  expect(endOfLocalDate("2026-11-01", "America/New_York")).toBe("2026-11-02T05:00:00.000Z");
  expect(localDateOf("2026-11-02T04:59:59Z", "America/New_York")).toBe("2026-11-01");
});

test("only known zones are accepted", () => {
  expect(["Europe/Berlin", "UTC"].every(isTimeZone)).toBe(true);
  expect(["Mars/Olympus", "", "EST5EDTX"].some(isTimeZone)).toBe(false);
});
