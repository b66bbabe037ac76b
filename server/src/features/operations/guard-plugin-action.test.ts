import { expect, test, vi } from "vitest";
import { Strict } from "../../core/schema.ts";
import { anEnv } from "../../testing/an-evaluation.ts";
import { anOrder } from "../../testing/an-order.ts";
import { guardPluginAction } from "./guard-plugin-action.ts";
import type { PluginAction } from "./plugin-action.ts";

/** Typed as anything: what a plug-in in JavaScript may return. */
function run(apply: (...given: Parameters<PluginAction["apply"]>) => unknown, order = anOrder(), params: object = {}) {
  const action = guardPluginAction({
    type: "acme.try",
    title: "Try",
    group: "organize",
    description: "What a test says.",
    params: Strict({}),
    example: {},
    apply: apply as PluginAction["apply"],
  });
  return action.apply!(order, params, anEnv(), undefined);
}

test("a patch is merged into the order by the rules of PATCH", () => {
  const order = anOrder({ customFields: { shelf: "B4", old: 1 }, customer: { name: "Ada", phone: "1" } });
  const patch = { customFields: { paper: "red", old: null }, customer: { phone: "2" }, tags: ["gift"] };
  expect(run(() => ({ patch }), order)).toEqual({
    patch: { customFields: { shelf: "B4", paper: "red" }, customer: { name: "Ada", phone: "2" }, tags: ["gift"] },
  });
});

test("a changed address is unverified, and a removed value is null", () => {
  const order = anOrder({ addressStatus: "valid", giftMessage: "Hi" });
  const patch = { shippingAddress: { city: "Chicago" }, giftMessage: null };
  const outcome = run(() => ({ patch }), order);
  expect(outcome).toMatchObject({ patch: { addressStatus: "unverified", giftMessage: null } });
  expect(outcome).toMatchObject({ patch: { shippingAddress: { ...order.shippingAddress, city: "Chicago" } } });
});

test("notes are added to those of the order, which keep their authors", () => {
  const note = { id: "n1", text: "old", visibility: "internal", by: { type: "system", name: "x" }, at: "2026-01-01" };
  const order = anOrder({ notes: [note as never] });
  const outcome = run((given) => ({ patch: { notes: [...given.notes, { text: "new" }] } }), order);
  expect(outcome).toMatchObject({ patch: { notes: [note, { text: "new", visibility: "internal" }] } });
});

test("the code gets copies: it can change neither the order nor the params", () => {
  const order = anOrder({ tags: ["a"] });
  const params = { list: [1] };
  run(
    (given, asked) => {
      given.tags.push("b");
      (asked as typeof params).list.push(2);
      return { patch: {} };
    },
    order,
    params,
  );
  expect(order.tags).toEqual(["a"]);
  expect(params).toEqual({ list: [1] });
});

test("what it throws fails the step, is reported once, and is not shown to callers", () => {
  const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  const fail = () => {
    throw new Error("no shelf for Ada Byron");
  };
  expect(run(fail)).toMatchObject({ refused: "plugin_failed" });
  expect(JSON.stringify(run(fail))).not.toContain("Ada");
  expect(warn).toHaveBeenCalledTimes(1);
  expect(warn.mock.calls[0]![0]).toContain("acme.try failed: no shelf for Ada Byron");
  warn.mockRestore();
});

test("an async function fails the step, and its rejection does not end the process", async () => {
  const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  const outcome = run(() => Promise.reject(new Error("later")));
  expect(outcome).toMatchObject({ refused: "plugin_outcome_invalid", message: expect.stringContaining("async") });
  await vi.waitFor(() => expect(warn).toHaveBeenCalledTimes(1), 10_000);
  warn.mockRestore();
});

const circular: { patch: object; self?: object } = { patch: {} };
circular.self = circular;

test.each([
  ["nothing", undefined, "neither a patch nor a refusal"],
  ["a list", [], "neither a patch nor a refusal"],
  ["no patch", {}, "its patch is not an object"],
  ["an effect", { patch: {}, call: {} }, "an outcome has no call"],
  ["a field of the hub", { patch: { version: 7 } }, "a plug-in cannot change version"],
  ["a reference", { patch: { locationId: "0199f0a0-0000-7000-8000-00000000a001" } }, "cannot change locationId"],
  ["lines", { patch: { lines: [] } }, "cannot change lines"],
  ["a wrong value", { patch: { priority: "hihg" } }, "/priority"],
  ["a wrong type", { patch: { tags: "gift" } }, "/tags"],
  ["too many tags", { patch: { tags: Array.from({ length: 51 }, (_, i) => `t${i}`) } }, "/tags"],
  ["an impossible date", { patch: { shipBy: "0000-01-01T00:00:00Z" } }, "/shipBy"],
  ["a function", { patch: { channel: () => "x" } }, "/channel"],
  ["a NUL", { patch: { poNumber: "a\u0000" } }, "NUL"],
  ["a NUL in a refusal", { refused: "x", message: "a\u0000" }, "NUL"],
  ["a code that is none", { refused: "Not a code", message: "No." }, "/refused"],
  ["a refusal without a message", { refused: "no" }, "message"],
  ["a wrong warning", { patch: {}, warning: "careful" }, "warning"],
])("%s is not accepted", (_name, outcome, why) => {
  expect(run(() => outcome)).toMatchObject({
    refused: "plugin_outcome_invalid",
    message: expect.stringContaining(why) as string,
  });
});

test("an outcome that contains itself fails the step", () => {
  const warn = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
  expect(run(() => circular)).toHaveProperty("refused");
  warn.mockRestore();
});

test("a hundred custom fields stay the limit, together with those of the order", () => {
  const fields = (prefix: string) => Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`${prefix}${i}`, i]));
  const order = anOrder({ customFields: fields("a") });
  expect(run(() => ({ patch: { customFields: fields("b") } }), order)).toMatchObject({
    refused: "plugin_outcome_invalid",
  });
});
