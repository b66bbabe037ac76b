import fc from "fast-check";
import { expect, test } from "vitest";
import { cleanAddress } from "../clean-address.ts";
import { conventionsOf, readDate, readDay, readNumber } from "./csv-cells.ts";

test("numbers are read in common notations, and rejected otherwise", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10_000_000 }), (cents) => {
      const amount = cents / 100;
      expect(readNumber(amount.toFixed(2))).toEqual({ value: amount });
      expect(readNumber(`$${amount.toLocaleString("en-US", { minimumFractionDigits: 2 })}`)).toEqual({
        value: amount,
      });
      expect(readNumber(amount.toFixed(2).replace(".", ","))).toEqual({ value: amount });
    }),
  );
  for (const text of ["1.2.3", "1,2345", "1.234,50", "abc", "1e5", "--1", "0x10", "NaN"]) {
    expect(readNumber(text)).toMatchObject({ problem: { code: "not_a_number" } });
  }
});

test("a comma before three digits is a decimal sign in files with semicolons", () => {
  expect(readNumber("1,250", conventionsOf(","))).toEqual({ value: 1250 });
  expect(readNumber("1,250", conventionsOf("\t"))).toEqual({ value: 1250 });
  const guess = { code: "assumed_decimal_separator", message: expect.stringContaining("1.25") };
  expect(readNumber("1,250", conventionsOf(";"))).toEqual({ value: 1.25, guess });
  expect(readNumber("1,250", conventionsOf(",", { decimalSeparator: "," }))).toEqual({ value: 1.25 });
  expect(readNumber("1,250", conventionsOf(";", { decimalSeparator: "." }))).toEqual({ value: 1250 });
  expect(readNumber("1.250", conventionsOf(";", { decimalSeparator: "," }))).toEqual({ value: 1250 });
  expect(readNumber("-1.234.567,89", conventionsOf(";"))).toEqual({ value: -1_234_567.89 });
  expect(readNumber("12,50", conventionsOf(";"))).toEqual({ value: 12.5 });
  expect(readNumber("11.40", conventionsOf(";"))).toEqual({ value: 11.4 });
  expect(readNumber("1,234.50", conventionsOf(";"))).toEqual({ value: 1234.5 });
});

test("a day is read as written, whatever time follows", () => {
  for (const text of ["2026-03-05", "2026-03-05T23:00:00-05:00", "05.03.2026 8:00", "Mar 5, 2026", "5-Mar-2026"]) {
    expect(readDay(text)).toEqual({ value: "2026-03-05" });
  }
  for (const text of ["3/5/2026", "3/5/2026 11:15 PM", "03-05-2026"]) {
    expect(readDay(text)).toEqual({
      value: "2026-03-05",
      guess: expect.objectContaining({ code: "assumed_date_order" }),
    });
    expect(readDay(text, conventionsOf(",", { dateOrder: "mdy" }))).toEqual({ value: "2026-03-05" });
    expect(readDay(text, conventionsOf(",", { dateOrder: "dmy" }))).toEqual({ value: "2026-05-03" });
  }
  for (const text of ["2026-02-30", "0026-03-05", "2026-03-055", "soon"]) {
    expect(readDay(text)).toMatchObject({ problem: { code: "not_a_date" } });
  }
});

test("dates are read in every unambiguous format", () => {
  fc.assert(
    fc.property(fc.date({ min: new Date("1971-01-01"), max: new Date("2200-01-01"), noInvalidDate: true }), (date) => {
      const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
      const midnight = { value: new Date(Date.UTC(year, month - 1, day)).toISOString() };
      expect(readDate(date.toISOString())).toEqual({ value: date.toISOString() });
      expect(readDate(date.toISOString().slice(0, 10))).toEqual(midnight);
      expect(readDate(`${month}/${day}/${year}`, conventionsOf(",", { dateOrder: "mdy" }))).toEqual(midnight);
      expect(readDate(`${day}/${month}/${year}`, conventionsOf(",", { dateOrder: "dmy" }))).toEqual(midnight);
      expect(readDate(`${day}.${month}.${year}`)).toEqual(midnight);
    }),
  );
  const short = conventionsOf(",", { dateOrder: "mdy" });
  expect(readDate("08/14/25", short)).toEqual({ value: "2025-08-14T00:00:00.000Z" });
  expect(readDate("Jul-21-25", short)).toEqual({ value: "2025-07-21T00:00:00.000Z" });
  expect(readDate("12/13/2026 1:05:09 PM")).toEqual({ value: "2026-12-13T13:05:09.000Z" });
  expect(readDate("2026-03-01 10:00 +02:00")).toEqual({ value: "2026-03-01T08:00:00.000Z" });
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
    expect(readDate(text)).toMatchObject({ problem: { code: "not_a_date" } });
  }
});

test("leading zeros of ZIPs are restored only in the US; codes go to the code fields", () => {
  expect(cleanAddress({ zip: "2134", country: "usa" })).toEqual({ zip: "02134", country: "usa", countryCode: "US" });
  expect(cleanAddress({ zip: "501", countryCode: "us" })).toEqual({ zip: "00501", countryCode: "US" });
  expect(cleanAddress({ zip: "2134-0007", province: "ma" })).toEqual({ zip: "02134-0007", provinceCode: "MA" });
  expect(cleanAddress({ zip: "2134", country: "AU" })).toEqual({ zip: "2134", countryCode: "AU" });
  expect(cleanAddress({ zip: "1010", country: "Austria" })).toMatchObject({ zip: "1010", countryCode: "AT" });
  expect(cleanAddress({ zip: "1010" })).toEqual({ zip: "1010" });
  expect(cleanAddress({ zip: "8001", province: "ZH" })).toEqual({ zip: "8001", provinceCode: "ZH" });
  expect(cleanAddress({ zip: "'02108", province: "MA" })).toEqual({ zip: "02108", provinceCode: "MA" });
  expect(cleanAddress({ zip: "12207", country: "Atlantis", province: "Bavaria" })).toEqual({
    zip: "12207",
    country: "Atlantis",
    province: "Bavaria",
  });
});

test("a country of two characters that is no code is kept (protocol 4)", () => {
  for (const country of ["--", "U.", "1A", "\u{1f1fa}"]) {
    expect(cleanAddress({ country, zip: "1010" })).toEqual({ country, zip: "1010" });
  }
  for (const [country, countryCode] of [
    ["日本", "JP"],
    ["中国", "CN"],
  ] as const) {
    expect(cleanAddress({ country, zip: "1010" })).toEqual({ country, countryCode, zip: "1010" });
  }
  expect(cleanAddress({ country: "us" })).toEqual({ countryCode: "US" });
  expect(cleanAddress({ country: "uk" })).toEqual({ countryCode: "GB" });
});
