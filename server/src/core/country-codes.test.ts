import { expect, test } from "vitest";
import { countryCodeOf } from "./country-codes.ts";

test("countries are found by name, also those with several former codes", () => {
  const names = [
    "Germany",
    "france",
    "United Kingdom",
    "Russia",
    "Vietnam",
    "USA",
    " us ",
    "UK",
    "Yemen",
    "Myanmar (Burma)",
  ];
  expect(names.map(countryCodeOf)).toEqual(["DE", "FR", "GB", "RU", "VN", "US", "US", "GB", "YE", "MM"]);
  expect(countryCodeOf("Atlantis")).toBeUndefined();
});

test("countries are found by name in many languages", () => {
  const names = ["Deutschland", "ÖSTERREICH", "Allemagne", "Německo", "ドイツ", "日本", "Holland", "Espana", "DEU"];
  expect(names.map(countryCodeOf)).toEqual(["DE", "AT", "DE", "DE", "DE", "JP", "NL", "ES", "DE"]);
});
