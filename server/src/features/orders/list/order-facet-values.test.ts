import { expect, test } from "vitest";
import { startTestHub } from "../../../testing/test-hub.ts";
import { facetFields } from "./facet-fields.ts";

const hub = await startTestHub();
const org = await hub.org();
const rival = await hub.org();
const location = (await org.post("/locations", { name: "Main" })).body.id as string;
const order = (more: object) => ({ status: "ready", ...more });
await org.post("/orders/bulk", {
  orders: [
    order({
      number: "A",
      tags: ["VIP", "rush"],
      channel: "web",
      priority: "high",
      locationId: location,
      shipping: { carrier: "ups", service: "ground" },
      shippingAddress: { city: "Albany", countryCode: "US" },
      lines: [
        { sku: "MUG", quantity: 1 },
        { sku: "MUG", quantity: 2 },
        { sku: "CUP_1", quantity: 1 },
      ],
    }),
    order({ number: "B", tags: ["vip"], channel: "web", shippingAddress: { city: "Wien", countryCode: "at" } }),
    order({ number: "C", tags: ["rush", "100%"], status: "new", lines: [{ sku: "MUG", quantity: 1 }] }),
    order({ number: "D", tags: ["gone"], archived: true }),
  ],
});
await rival.post("/orders", { number: "R", tags: ["theirs"], lines: [{ sku: "SECRET", quantity: 1 }] });
await org.post("/operations/run", {
  order_ids: ["A"],
  actions: [{ type: "hold", params: { reason: "high_risk_of_fraud" } }],
});

const facets = async (query: string, client: Pick<typeof org, "get"> = org) =>
  (await client.get(`/orders/facets?${query}`)).body as {
    values: { value: string; count: number }[];
    isCapped: boolean;
  };
const counts = async (query: string) =>
  Object.fromEntries((await facets(query)).values.map(({ value, count }) => [value, count]));

test("values are counted once for an order, most frequent first, within the other filters", async () => {
  expect(await facets("field=tag")).toEqual({
    field: "tag",
    values: [
      { value: "rush", count: 2 },
      { value: expect.stringMatching(/^vip$/i), count: 2 },
      { value: "100%", count: 1 },
    ],
    isCapped: false,
  });
  expect(await counts("field=sku")).toEqual({ MUG: 2, CUP_1: 1 });
  expect(await counts("field=sku&channel=web")).toEqual({ MUG: 1, CUP_1: 1 });
  expect(await counts("field=country")).toEqual({ US: 1, AT: 1 });
  expect(await counts("field=service")).toEqual({ ground: 1 });
  expect(await counts("field=carrier")).toEqual({ ups: 1 });
  expect(await counts("field=channel")).toEqual({ web: 2 });
  expect(await counts("field=priority")).toEqual({ normal: 2, high: 1 });
  expect(await counts("field=locationId")).toEqual({ [location]: 1 });
  expect(await counts("field=assigneeId")).toEqual({});
  expect(await counts("field=status")).toEqual({ ready: 2, new: 1, on_hold: 1 });
  expect(await counts("field=holdReason")).toEqual({ high_risk_of_fraud: 1 });
  expect(await counts("field=tag&archived=true")).toEqual({ gone: 1 });
  expect(await counts("field=tag&search=albany")).toMatchObject({ rush: 1 });
});

test("filters on the field itself do not count, but all of its tags do", async () => {
  expect(await counts("field=sku&sku=CUP_1")).toEqual({ MUG: 2, CUP_1: 1 });
  expect(await counts("field=status&status=new&tagsAny=rush")).toEqual({ ready: 1, new: 1, on_hold: 1 });
  expect(await counts("field=tag&tagsAny=vip&tagsNone=rush")).toMatchObject({ rush: 2 });
  expect(await counts("field=tag&tagsAll=rush")).toMatchObject({ rush: 2, "100%": 1 });
});

test("values are searched as plain text, in any case", async () => {
  expect(Object.keys(await counts("field=tag&valueSearch=RU"))).toEqual(["rush"]);
  expect(Object.keys(await counts("field=tag&valueSearch=%25"))).toEqual(["100%"]);
  expect(Object.keys(await counts("field=sku&valueSearch=_"))).toEqual(["CUP_1"]);
  expect(await counts("field=tag&valueSearch=nothing")).toEqual({});
  expect((await facets("field=tag&limit=1")).values).toHaveLength(1);
});

test("each value finds as many orders in the list as it counts", async () => {
  const params = { tag: "tagsAny" };
  for (const field of facetFields) {
    for (const [value, count] of Object.entries(await counts(`field=${field}`))) {
      const param = field === "tag" ? params.tag : field;
      const { pagination } = (await org.get(`/orders?${param}=${encodeURIComponent(value)}`)).body;
      expect([field, value, pagination.total]).toEqual([field, value, count]);
    }
  }
});

test("values of another organization are not counted, and an unknown field is refused", async () => {
  expect((await facets("field=sku", rival)).values).toEqual([{ value: "SECRET", count: 1 }]);
  expect(Object.keys(await counts("field=sku"))).not.toContain("SECRET");
  const { status, body } = await org.get("/orders/facets?field=customer");
  expect([status, body.errors[0].pointer]).toEqual([400, "query/field"]);
});
