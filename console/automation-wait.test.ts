import { expect, test } from "vitest";
import { noWait, waitDraftOf, waitOf, waitText } from "./src/features/automations/automation-wait.ts";

const when = { path: "paymentStatus", op: "eq" as const, value: "paid" };
const waits = [
  null,
  { until: "2h" },
  { until: "next 16:00" },
  { until: { path: "shipBy", minus: "1d" } },
  { until: { path: "orderedAt", plus: "30m" } },
  { until: { path: "shipBy" } },
  { when, at_most: "7d" },
];

test("a wait that is opened and not changed stays as it is", () => {
  for (const wait of waits) expect(waitOf(waitDraftOf(wait))).toEqual(wait);
});

test("each wait has words", () => {
  expect(waits.map((wait) => waitText(waitDraftOf(wait), (path) => path))).toEqual([
    "",
    "waits 2 hours",
    "waits until 16:00",
    "waits until 1 day before shipBy",
    "waits until 30 minutes after orderedAt",
    "waits until shipBy",
    "waits for a condition, at most 7 days",
  ]);
});

test("a condition that is still missing is sent without one, so that the hub names the field", () => {
  expect(waitOf({ ...noWait, kind: "condition" })).toEqual({ at_most: "1h" });
});
