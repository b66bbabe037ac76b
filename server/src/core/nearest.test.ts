import { expect, test } from "vitest";
import { nearestName } from "./nearest.ts";

const names = ["pickupAddress", "pickupDate", "packageCount", "readyTime", "closeTime", "tag"];

test.each([
  ["packagecount", "packageCount"],
  ["readyTme", "readyTime"],
  ["address", "pickupAddress"],
  ["readyTimeOfTheDay", "readyTime"],
])("%s suggests %s", (given, meant) => {
  expect(nearestName(given, names)).toBe(meant);
});

test.each(["pickup", "Time", "zebra", ""])("%s suggests nothing", (given) => {
  expect(nearestName(given, names)).toBeUndefined();
});
