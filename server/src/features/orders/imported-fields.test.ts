import { expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";

type Field = { path: string; type: string; required: boolean; isOpen: boolean; values: string[] | null };

test("the fields of an imported order are listed with their types and which are required", async () => {
  const org = await (await startTestHub()).org();
  const { status, body } = await org.get("/orders/fields");
  expect(status).toBe(200);
  const fields = new Map((body.data as Field[]).map((field) => [field.path, field]));
  expect(fields.get("number")).toMatchObject({ type: "text", required: false });
  expect(fields.get("status")!.values).toContain("ready");
  expect(fields.get("lines")).toMatchObject({ type: "list" });
  expect(fields.get("lines[].sku")).toMatchObject({ type: "text", required: true });
  expect(fields.get("lines[].quantity")).toMatchObject({ type: "number", required: true });
  expect(fields.get("shippingAddress.zip")).toMatchObject({ type: "text" });
  expect(fields.get("orderedAt")).toMatchObject({ type: "date" });
  expect(fields.get("tags")).toMatchObject({ type: "list" });
  expect(fields.get("customFields")).toMatchObject({ type: "object", isOpen: true });
  // Each of them is taken by an order, and nothing else is.
  const top = [...fields.keys()].filter((path) => !/[.[]/.test(path));
  const refused = await org.post("/orders", Object.fromEntries([...top, "nu"].map((name) => [name, { wrong: true }])));
  const unknown = (refused.body.errors as { pointer: string; code: string }[])
    .filter(({ code }) => code === "unknown_field" || code === "additional_property" || code === "additionalProperties")
    .map(({ pointer }) => pointer);
  expect(unknown).toContain("/nu");
  expect(
    unknown
      .filter((pointer) => !["/nu", "/hold", "/deleted", "/locationExternalId"].includes(pointer))
      .filter((p) => p.split("/").length === 2),
  ).toEqual([]);
});
