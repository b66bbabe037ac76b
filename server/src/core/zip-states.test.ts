import { expect, test } from "vitest";
import { prefixesOfState, stateOfZip } from "./zip-states.ts";

test("a ZIP has its state, also within the range of another state", () => {
  const states = {
    "00501": "NY", "00601": "PR", "00901": "PR", "02108": "MA", "05501": "MA", "05601": "VT", "10001": "NY", "20001": "DC",
    "20101": "VA", "34002": "AA", "39901": "GA", "73301": "TX", "73401": "OK", "88501": "TX", "96910": "GU", "99501": "AK",
  }; // prettier-ignore
  expect(Object.keys(states).map(stateOfZip)).toEqual(Object.values(states));
});

test("an unused prefix belongs to no state", () => {
  expect(["00112", "26900", "71500", "88600"].map(stateOfZip)).toEqual([undefined, undefined, undefined, undefined]);
});

test("a state has the prefixes of its ZIPs", () => {
  expect(prefixesOfState("RI")).toEqual(["028", "029"]);
  expect(prefixesOfState("TX")).toContain("733");
  expect(prefixesOfState("OK")).not.toContain("733");
  expect(prefixesOfState("XX")).toEqual([]);
});
