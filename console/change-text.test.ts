import { expect, test } from "vitest";
import { changeText, valueText } from "./src/ui/change-text.ts";
import { fieldName, words } from "./src/ui/format.ts";

const mug = { id: "1", sku: "MUG", name: "Mug", quantity: 2, price: 18 };
const card = { id: "2", sku: "CARD", name: "Card", quantity: 1 };

test("a changed item says what changed", () => {
  const change = { path: "/lines", from: [mug, card], to: [{ ...mug, quantity: 3 }, card] };
  expect(changeText(change)).toEqual({ sign: "", text: "Mug: quantity 2 to 3" });
  expect(changeText({ ...change, to: [card, mug] })).toEqual({ sign: "", text: "in another order" });
});

test("changed, added and removed items are all named", () => {
  const scarf = { id: "3", sku: "SCARF", quantity: 2 };
  expect(changeText({ path: "/lines", from: [mug, card], to: [{ ...mug, price: 20 }, scarf] }).text).toBe(
    "Mug: price 18 to 20; added 2 × SCARF; removed 1 × Card",
  );
  expect(changeText({ path: "/lines", from: [mug], to: [mug, scarf] })).toEqual({ sign: "+", text: "2 × SCARF" });
  expect(changeText({ path: "/tags", from: ["a", "b"], to: ["a"] })).toEqual({ sign: "−", text: "b" });
});

test("a corrected address names the lines that differ, not the customer twice", () => {
  const from = { name: "Nora", address1: "1 Way", city: "Troy", zip: "1" };
  const change = { path: "/shippingAddress", from, to: { ...from, city: "Albany", address1: "2 Way" } };
  expect(changeText(change)).toEqual({ sign: "", text: "address line 1 1 Way to 2 Way, city Troy to Albany" });
});

test("times are shown as the page does, and say UTC where it does not say how", () => {
  const change = { path: "/shipBy", from: "2026-11-20T17:00:00Z", to: null };
  expect(changeText(change, () => "20 Nov 12:00")).toEqual({ sign: "−", text: "20 Nov 12:00" });
  expect(valueText("2026-11-20T02:30:00+01:00")).toBe("2026-11-20 01:30 UTC");
});

test("fields and states have one name on every page", () => {
  expect(fieldName("/lines")).toBe("items");
  expect(fieldName("/shippingAddress/address1")).toBe("shipping address address line 1");
  expect(words("partially_shipped")).toBe("partly shipped");
});
