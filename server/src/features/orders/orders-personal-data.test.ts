import { expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();
const secrets = ["Ada Byron", "ada@example.com", "+1 518 555 0100", "12 Main Street", "Rear door", "Bea Bills"];
const body = {
  number: "P-1",
  customer: { name: "Ada Byron", email: "ada@example.com", phone: "+1 518 555 0100" },
  shippingAddress: {
    name: "Ada Byron",
    address1: "12 Main Street",
    address2: "Rear door",
    city: "Albany",
    zip: "12207",
  },
  billingAddress: { name: "Bea Bills", email: "ada@example.com", countryCode: "US" },
  lines: [{ sku: "MUG-1", quantity: 1 }],
};
await org.post("/orders", body);
await org.patch("/orders/P-1", {
  customer: { name: "Ada Byron-King" },
  shippingAddress: { address1: "12 Main Street W" },
});
await org.post("/operations/run", {
  order_ids: ["P-1"],
  actions: [{ type: "update_address", params: { address: { name: "Ada Byron III" } } }],
});

const paths = ["/orders/P-1", "/orders", "/orders?search=albany", "/orders/export.csv", "/orders/P-1/timeline"];

test.each(paths)("%s shows the recipient only with pii:read", async (path) => {
  const [full, viewer, key] = await Promise.all([
    org.get(path),
    (await org.withRole("viewer")).get(path),
    (await org.withScopes(["orders:read"])).get(path),
  ]);
  expect([full.status, viewer.status, key.status]).toEqual([200, 200, 200]);
  expect(full.text).toContain("Ada Byron");
  for (const secret of secrets) {
    expect(viewer.text).not.toContain(secret);
    expect(key.text).not.toContain(secret);
  }
  expect(viewer.text).toContain("***");
  const both = await (await org.withScopes(["orders:read", "pii:read"])).get(path);
  expect(both.text).toContain("Ada Byron");
});

test("the recipient cannot be found out by searching", async () => {
  const viewer = await org.withRole("viewer");
  for (const path of ["/orders", "/orders/export.csv"]) {
    const isFound = async (client: Pick<typeof viewer, "get">, search: string): Promise<boolean> =>
      (await client.get(`${path}?search=${encodeURIComponent(search)}`)).text.includes("P-1");
    for (const search of ["ada", "byron-king", "ada@example.com", "example.com", "albany ada"]) {
      expect([path, search, await isFound(org, search)]).toEqual([path, search, true]);
      expect([path, search, await isFound(viewer, search)]).toEqual([path, search, false]);
    }
    for (const search of ["P-1", "albany", "12207 mug"]) expect(await isFound(viewer, search)).toBe(true);
  }
});

test("city, ZIP and lines are visible to all callers that may read orders", async () => {
  const viewer = await org.withRole("viewer");
  expect((await viewer.get("/orders/P-1")).body).toMatchObject({
    customer: { name: "***", email: "***", phone: "***" },
    shippingAddress: { name: "***", address1: "***", address2: "***", city: "Albany", zip: "12207" },
    billingAddress: { name: "***", email: "***", countryCode: "US" },
    lines: [{ sku: "MUG-1" }],
  });
  const bare = (await org.post("/orders", {})).body;
  expect((await viewer.get(`/orders/${bare.id}`)).body).toMatchObject({ customer: {}, shippingAddress: null });
});

test("responses to writes without pii:read are masked as well, and fields that are not sent stay", async () => {
  const writer = await org.withScopes(["orders:read", "orders:write"]);
  const created = await writer.post("/orders", { ...body, number: "P-2" });
  expect(created.text).not.toContain("Ada Byron");
  expect((await writer.patch("/orders/P-2", { tags: ["seen"] })).text).not.toContain("12 Main Street");
  expect((await org.get("/orders/P-2")).body).toMatchObject({ customer: body.customer, tags: ["seen"] });
});

test("sending back a masked response does not overwrite the masked values", async () => {
  const writer = await org.withScopes(["orders:read", "orders:write"]);
  await org.post("/orders", { ...body, number: "P-3" });
  const { customer, shippingAddress } = (await writer.get("/orders/P-3")).body;
  const answer = await writer.patch("/orders/P-3", { customer, shippingAddress: { ...shippingAddress, city: "Troy" } });
  expect(answer.body).toMatchObject({ status: 400, code: "validation_failed" });
  expect(answer.body.errors).toContainEqual(
    expect.objectContaining({ pointer: "/customer/name", code: "masked_value" }),
  );
  expect(answer.body.errors).toHaveLength(6);
  expect((await writer.patch("/orders/P-3", { shippingAddress: { city: "Troy" } })).status).toBe(200);
  const kept = { customer: body.customer, shippingAddress: { ...body.shippingAddress, city: "Troy" } };
  expect((await org.get("/orders/P-3")).body).toMatchObject(kept);
});
