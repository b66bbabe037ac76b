import { expect, test } from "vitest";
import { createExtensionPoint } from "./extension-point.ts";

const origin = { name: "hub-plugin-acme", version: "1.0.0" };

test("parts have the origin they were added with; the hub's own have none", () => {
  const point = createExtensionPoint<string>();
  point.add("acme.a", "A", origin);
  expect(point.parts()).toEqual(["A"]);
  expect(point.originOf("acme.a")).toEqual(origin);
  expect(point.originOf("hold")).toBeNull();
  expect(point.originOf("toString")).toBeNull();
});

test("nothing is added after the catalog was read, because schemas and documents would lack it", () => {
  const point = createExtensionPoint<string>();
  point.parts();
  expect(() => point.add("acme.a", "A", origin)).toThrow("acme.a was added after the catalog was read");
});
