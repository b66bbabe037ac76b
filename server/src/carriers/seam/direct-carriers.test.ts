import { expect, test } from "vitest";
import { streetLines } from "./address-lines.ts";
import { clockTime, dayOf, dayThere } from "./local-time.ts";
import { centimetersOf, kilogramsOf } from "./measures.ts";
import { readParts } from "./multipart.ts";
import { insuredValues } from "./option-checks.ts";
import { chargeLine, paidCharge, priceOf } from "./price.ts";

test.each([
  ["2026-03-03T04:30:00Z", "2026-03-03T10:00:00-05:00", "2026-03-02"],
  ["2026-03-03T23:30:00Z", "2026-03-03T10:00:00+09:00", "2026-03-04"],
  ["2026-03-03T23:30:00Z", "2026-03-03T10:00:00Z", "2026-03-03"],
])("at %s it is %s there: the day is %s", (instant, example, expected) => {
  expect(dayThere(new Date(instant), example)).toBe(expected);
});

test.each([
  ["20260131", "2026-01-31"],
  ["2026-01-31", "2026-01-31"],
  ["2026-01-31T20:00:00", "2026-01-31"],
  ["2026-01-31 20:00:00.000", "2026-01-31"],
  ["2026-13-31", undefined],
  ["end of day", undefined],
  [undefined, undefined],
])("the day of %s is %s", (text, expected) => {
  expect(dayOf(text)).toBe(expected);
});

test.each([
  ["093015", "09:30:15"],
  ["09:30:15", "09:30:15"],
  ["0930", "09:30:00"],
  [undefined, "00:00:00"],
])("the time of %s is %s", (text, expected) => {
  expect(clockTime(text)).toBe(expected);
});

test("weights and sides are rounded up, and conversions leave no rest behind", () => {
  expect(kilogramsOf({ value: 2.5, unit: "lb" })).toBe(1.2);
  expect(kilogramsOf({ value: 1.1, unit: "kg" })).toBe(1.1);
  expect(kilogramsOf({ value: 1, unit: "g" })).toBe(0.1);
  expect(centimetersOf({ length: 10, width: 5, height: 4, unit: "in" })).toEqual([25.4, 12.7, 10.2]);
  expect(centimetersOf({ length: 10.1, width: 5, height: 4, unit: "cm" })).toEqual([10.1, 5, 4]);
});

test("a multipart boundary may contain a space if it is declared", () => {
  const text =
    '--b 1\r\nContent-Type: application/json\r\nContent-Disposition: form-data; name="meta"\r\n\r\n{"a":\r\n\r\n1}\r\n--b 1--\r\n';
  expect(readParts({ headers: { "content-type": 'multipart/form-data; boundary="b 1"' }, text })).toEqual([
    { name: "meta", contentType: "application/json", content: '{"a":\n\n1}' },
  ]);
  expect(readParts({ headers: {}, text })).toBeUndefined();
});

test("parts are found by name and not by file name; other content types have no parts", () => {
  const text =
    '--b\nContent-Type: application/pdf\nContent-Disposition: form-data; filename="x.pdf"; name="labelImage"\n\nJVBERi0=\n--b--';
  expect(readParts({ headers: {}, text })).toEqual([
    { name: "labelImage", contentType: "application/pdf", content: "JVBERi0=" },
  ]);
  expect(readParts({ headers: { "content-type": "application/json" }, text: '{"a":1}' })).toBeUndefined();
  expect(
    readParts({ headers: { "content-type": "multipart/form-data; boundary=b" }, text: "not multipart" }),
  ).toBeUndefined();
});

test("a street is broken between words, and refused where it is missing or does not fit", () => {
  const limit = { lines: 2, characters: 10, whose: "recipient" };
  expect(streetLines("UPS", { address1: "12  Main St", address2: " Apt 4 " }, limit)).toEqual(["12 Main St", "Apt 4"]);
  expect(streetLines("UPS", { address1: "12 Main Street" }, limit)).toEqual(["12 Main", "Street"]);
  expect(() => streetLines("UPS", { address2: " " }, limit)).toThrow(
    "The street of the recipient's address is missing.",
  );
  expect(() => streetLines("UPS", { address1: "Streetnamethatisonelongword" }, limit)).toThrow("too long");
});

test("insured values: a parcel's own first, the rest of the shipment's in equal shares to the cent", () => {
  const parcel = { weight: { value: 1, unit: "lb" as const } };
  const own = { ...parcel, insuredValue: { amount: 10, currency: "USD" } };
  const amounts = (parcels: (typeof own | typeof parcel)[], amount: number) =>
    insuredValues(parcels, { insuredValue: { amount, currency: "USD" } }).map((value) => value?.amount);
  expect(amounts([own, parcel, parcel], 10.01)).toEqual([10, 0.01, undefined]);
  expect(amounts([own, parcel], 5)).toEqual([10, undefined]);
  expect(amounts([parcel, parcel, parcel], 100)).toEqual([33.34, 33.33, 33.33]);
  expect(insuredValues([own, parcel], {}).map((value) => value?.amount)).toEqual([10, undefined]);
});

test("an amount that cannot be read is no price, and zero is one", () => {
  expect(priceOf("1,234.5", "USD")).toEqual({ cents: 123_450, currency: "USD" });
  expect(priceOf(0, "USD")).toEqual({ cents: 0, currency: "USD" });
  expect(priceOf(1200, "JPY")).toEqual({ cents: 1200, currency: "JPY" });
  for (const amount of [undefined, null, "", "n/a", {}, Number.NaN]) expect(priceOf(amount, "USD")).toBeUndefined();
});

test("parts of a price fit into what the hub stores, and a price that is none does not spoil a label", () => {
  const price = { cents: 250, currency: "USD" };
  expect(chargeLine("FUEL", `Fuel\nsurcharge ${"x".repeat(200)}`, price)).toEqual([
    { code: "FUEL", label: `Fuel surcharge ${"x".repeat(85)}`, cents: 250 },
  ]);
  expect(chargeLine("", "Discount", price, -1)).toEqual([{ code: "other", label: "Discount", cents: -250 }]);
  expect(chargeLine("FREE", "Tracking", { cents: 0, currency: "USD" })).toEqual([]);
  expect(paidCharge(price, [])).toEqual({ cents: 250, currency: "USD", lines: [] });
  expect(paidCharge({ cents: -1, currency: "USD" }, [])).toBeNull();
  expect(paidCharge(undefined, [])).toBeNull();
  expect(priceOf("5", "dollars")).toBeUndefined();
  const lines = Array.from({ length: 120 }, () => ({ code: "a", label: "b", cents: 1 }));
  expect(paidCharge(price, lines)?.lines).toHaveLength(100);
});
