import assert from "node:assert/strict";
import { test } from "node:test";
import { requireValidPlugin, runAction } from "@order-operations-hub/plugin/testing";
import { plugin } from "./plugin.ts";

test("the hub accepts the plug-in", () => {
  requireValidPlugin(plugin);
});

test("the shelf is remembered, and forgotten by an undo", () => {
  const [action] = plugin.actions ?? [];
  assert.ok(action);
  const result = runAction(action, { shelf: "B4" });
  assert.equal(result.order.customFields.shelf, "B4");
  assert.deepEqual(result.undone?.customFields, {});
});
