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
