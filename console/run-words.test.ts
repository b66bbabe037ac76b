import { expect, test } from "vitest";
import { failedLabels, fixOf, plainMessage, reasonText, reasonTitle } from "./src/features/operations/reasons.ts";
import { runState, runTitle } from "./src/features/operations/run-words.pick.ts";
import { namedChange, withNames } from "./src/features/operations/named-values.ts";

const titles: Record<string, string> = { choose_rate: "Choose rate", set_shipping: "Set shipping" };
const titleOf = (type: string): string | undefined => titles[type];

test("messages name actions and fields as the screen does", () => {
  expect(plainMessage("Use choose_rate or set_shipping first, or set `carrier_account_ids`.", titleOf)).toBe(
    'Use "Choose rate" or "Set shipping" first, or set "Carrier account ids".',
  );
  expect(plainMessage("The order is on hold (customer_request).", titleOf)).toBe(
    "The order is on hold (customer request).",
  );
});

test("a known cause has a title, a text and one fix; another one its code in words and its message", () => {
  const known = { code: "no_rate_chosen", message: "x", fix: "Use choose_rate first." };
  expect(reasonTitle(known.code)).toBe("No rate chosen");
  expect(reasonText(known, titleOf)).toBe("Neither the order nor the step has a carrier account and a service.");
  expect(fixOf(known.code)).toEqual({ label: "Choose rate", step: "choose_rate" });
  const other = { code: "odd_case", message: "It is odd.", fix: "Use choose_rate first." };
  expect([reasonTitle(other.code), reasonText(other, titleOf)]).toEqual([
    "Odd case",
    'It is odd. Use "Choose rate" first.',
  ]);
  expect(reasonText({ ...other, fix: "POST /x asks again." }, titleOf)).toBe("It is odd.");
});

const summary = {
  total: 9,
  succeeded: 9,
  failed: 0,
  skipped: 0,
  cancelled: 0,
  no_change: 0,
  partially_undone: 0,
};

test("a partial undo is amber and not failed; failures are counted", () => {
  const partial = { tone: "warn", text: "Partly undone" };
  const [run, undo] = [{ undo_of: null }, { undo_of: "x" }];
  expect(runState({ ...run, status: "succeeded", summary })).toEqual({ tone: "ok", text: "Done" });
  expect(runState({ ...undo, status: "succeeded", summary })).toEqual({ tone: "ok", text: "Done" });
  expect(runState({ ...undo, status: "succeeded", summary: { ...summary, partially_undone: 2 } })).toEqual(partial);
  const failed = { ...summary, failed: 4 };
  expect(runState({ ...undo, status: "partially_failed", summary: failed })).toEqual(partial);
  expect(runState({ ...undo, status: "failed", summary: failed })).toEqual({ tone: "warn", text: "Not undone" });
  expect(runState({ ...run, status: "partially_failed", summary: failed })).toEqual({ tone: "warn", text: "4 failed" });
  expect(runState({ ...run, status: "failed", summary: failed })).toEqual({ tone: "bad", text: "4 failed" });
});

test("a run has the name of its preset, or of its steps", () => {
  const run = { note: null, undo_of: null, retry_of: null, actions: [] };
  expect(runTitle({ ...run, note: "Waits for stock" }, "Hold")).toBe("Waits for stock");
  expect(runTitle(run, "Hold, Add tags")).toBe("Hold, Add tags");
  expect(runTitle({ ...run, note: "Waits", undo_of: "x" }, "Hold")).toBe("Undo: Waits");
});

test("ids are replaced by names, also within objects, and unknown ones are not shown", () => {
  const id = "01a1eaeb-0cdd-7cec-9097-9d45b5a98ecc";
  const nameOf = (one: string): string | undefined => (one === id ? "Newark" : undefined);
  expect(namedChange({ path: "/locationId", from: null, to: id }, nameOf)).toEqual({
    path: "/location",
    from: null,
    to: "Newark",
  });
  expect(withNames({ carrierAccountId: id, service: "GROUND" }, nameOf)).toEqual({
    carrierAccount: "Newark",
    service: "GROUND",
  });
  expect(withNames([id.replace("01a1", "02a1")], nameOf)).toEqual(["unnamed record"]);
});

test("failed orders of a purchase say what was charged: a label can be bought although its order failed", () => {
  expect(failedLabels(4, { bought: 0, unknown: 0 })).toEqual({
    title: "4 orders have no label",
    charged: "nothing was charged for them",
  });
  expect(failedLabels(5, { bought: 2, unknown: 1 })).toEqual({
    title: "5 orders did not complete",
    charged: "labels were bought for 2, 2 not charged, 1 unknown until the carrier answers or a retry",
  });
  expect(failedLabels(1, { bought: 1, unknown: 0 }).charged).toBe("labels were bought for 1");
});

test("a permission is named in words", () => {
  expect(plainMessage("`force` allows every move; requires operations:override.", titleOf)).toBe(
    '"Force" allows every move; requires the permission operations (override).',
  );
});
