import assert from "node:assert/strict";
import { test } from "node:test";
import { checkActionCases, requireValidPlugin, runAction } from "@order-operations-hub/plugin/testing";
import { plugin } from "./plugin.ts";
import { wrapAsGift } from "./wrap-as-gift.ts";

test("the hub accepts the plug-in", () => {
  requireValidPlugin(plugin);
});

test("orders are wrapped, unchanged, refused and unwrapped again by an undo", () => {
  const wrapped = { tags: ["gift"], customFields: { wrapping_paper: "red" } };
  const large = { id: "line-a", sku: "A", quantity: 21, shippedQuantity: 0 };
  checkActionCases(wrapAsGift, {
    applied: [
      { params: { paper: "red" }, gives: wrapped },
      {
        given: { tags: ["vip"] },
        params: { paper: "red", message: "Hi" },
        gives: { tags: ["vip", "gift"], giftMessage: "Hi" },
      },
    ],
    unchanged: [{ given: wrapped, params: { paper: "red" } }],
    blocked: [
      { given: { lines: [large] }, params: { paper: "red" }, code: "too_large_to_wrap" },
      { given: { status: "shipped" }, params: { paper: "red" }, code: "invalid_state" },
    ],
  });
});

test("other custom fields stay", () => {
  const { order } = runAction(wrapAsGift, { paper: "kraft" }, { customFields: { shelf: "B4" } });
  assert.deepEqual(order.customFields, { shelf: "B4", wrapping_paper: "kraft" });
});
