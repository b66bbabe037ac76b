import fc from "fast-check";
import { expect, test } from "vitest";
import { repairAddress } from "./csv-cells.ts";
import { readValue, writeTags } from "./csv-values.ts";

test("numbers are read as people write them, or not at all", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10_000_000 }), (cents) => {
      const amount = cents / 100;
      expect(readValue("total", amount.toFixed(2))).toEqual({ value: amount });
      expect(readValue("total", `$${amount.toLocaleString("en-US", { minimumFractionDigits: 2 })}`)).toEqual({
        value: amount,
      });
      expect(readValue("total", amount.toFixed(2).replace(".", ","))).toEqual({ value: amount });
    }),
  );
  for (const text of ["1.2.3", "1,2345", "1.234,50", "abc", "1e5", "--1", "0x10", "NaN"]) {
    expect(readValue("total", text)).toMatchObject({ problem: { code: "not_a_number" } });
  }
});

test("dates are read in every form that can be read in one way only", () => {
  fc.assert(
    fc.property(fc.date({ min: new Date("1971-01-01"), max: new Date("2200-01-01"), noInvalidDate: true }), (date) => {
      const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
      const midnight = { value: new Date(Date.UTC(year, month - 1, day)).toISOString() };
      expect(readValue("shipBy", date.toISOString())).toEqual({ value: date.toISOString() });
      expect(readValue("shipBy", date.toISOString().slice(0, 10))).toEqual(midnight);
      expect(readValue("shipBy", `${month}/${day}/${year}`)).toEqual(midnight);
      expect(readValue("shipBy", `${day}.${month}.${year}`)).toEqual(midnight);
    }),
  );
  expect(readValue("shipBy", "2026-03-01 10:00 +02:00")).toEqual({ value: "2026-03-01T08:00:00.000Z" });
  for (const text of [
    "2026-02-30",
    "31/12/2026",
    "2/30/2026",
    "30.2.2026",
    "1.13.2026",
    "yesterday",
    "2026-3-1",
    "12/31/26",
  ]) {
    expect(readValue("shipBy", text)).toMatchObject({ problem: { code: "not_a_date" } });
  }
});

test("zips get their zeros back in the US and nowhere else; codes go where codes belong", () => {
  expect(repairAddress({ zip: "2134", country: "usa" })).toEqual({ zip: "02134", country: "usa", countryCode: "US" });
  expect(repairAddress({ zip: "501", countryCode: "us" })).toEqual({ zip: "00501", countryCode: "US" });
  expect(repairAddress({ zip: "2134-0007", province: "ma" })).toEqual({ zip: "02134-0007", provinceCode: "MA" });
  expect(repairAddress({ zip: "2134", country: "AU" })).toEqual({ zip: "2134", countryCode: "AU" });
  expect(repairAddress({ zip: "1010", country: "Austria" })).toMatchObject({ zip: "1010", countryCode: "AT" });
  expect(repairAddress({ zip: "1010" })).toEqual({ zip: "1010" });
  expect(repairAddress({ zip: "12207", country: "Atlantis", province: "Bavaria" })).toEqual({
    zip: "12207",
    country: "Atlantis",
    province: "Bavaria",
  });
});

test("tags that are written to a cell are read from it, whatever is in them", () => {
  const tag = fc.string({ minLength: 1, maxLength: 10 }).filter((text) => /^\S(?:.*\S)?$/.test(text));
  const odd = fc.constantFrom("a|b", "Holiday, 2026", "x;y", "[1]", '["a"]', "[");
  fc.assert(
    fc.property(fc.uniqueArray(fc.oneof(tag, odd), { minLength: 1, maxLength: 6 }), (tags) => {
      expect(readValue("tags", writeTags(tags))).toEqual({ value: tags });
    }),
  );
  expect(readValue("tags", "vip, gift|a;a")).toEqual({ value: ["vip", "gift", "a"] });
  expect(readValue("tags", "[a, b")).toEqual({ value: ["[a", "b"] });
});
