import { expect, test } from "vitest";
import { countryCodeOf } from "./country-codes.ts";

test("countries are known by their name, whatever other codes they have had", () => {
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

test("countries are known by their name in the language of who wrote the file", () => {
  const names = ["Deutschland", "ÖSTERREICH", "Allemagne", "Německo", "ドイツ", "日本", "Holland", "Espana", "DEU"];
  expect(names.map(countryCodeOf)).toEqual(["DE", "AT", "DE", "DE", "DE", "JP", "NL", "ES", "DE"]);
});
