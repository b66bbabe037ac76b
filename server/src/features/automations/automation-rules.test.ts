import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { workOff } from "../../queue/work.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { runWork } from "../operations/operations.ts";
import { automationWork } from "./automations.ts";

const hub = await startTestHub();

/** The JSON of docs/automations.md: a pipeline and its automation, one after the other. */
const page = readFileSync(path.join(import.meta.dirname, "../../../../docs/automations.md"), "utf8");
const blocks = [...page.matchAll(/^```json\n([\s\S]*?)^```/gm)].map(([, text]) => JSON.parse(text!) as object);

test("the rules of docs/automations.md can be preflighted, and have the described effect", async () => {
  const org = await hub.org();
  expect(blocks).toHaveLength(8);
  const weighing = (value: number, unit: string) => ({ sku: "MUG", quantity: 2, weight: { value, unit } });
  const to = (countryCode: string) => ({ shippingAddress: { city: "Somewhere", countryCode } });
  const orders = {
    light: { ...to("US"), lines: [weighing(7, "oz")] },
    heavy: { ...to("US"), lines: [weighing(8, "oz")] },
    packed: { ...to("US"), lines: [weighing(9, "lb")], packages: [{ weight: { value: 400, unit: "g" }, count: 1 }] },
    unknown: { ...to("US"), lines: [{ sku: "MUG", quantity: 1 }] },
    chosen: { ...to("US"), lines: [weighing(1, "oz")], shipping: { service: "express" } },
    dear: { ...to("CA"), total: 500, status: "ready" },
    dearest: { ...to("CA"), total: 2_000, status: "ready" },
    cheap: { ...to("CA"), total: 499, status: "ready" },
  };
  for (const [nth, pipeline] of [blocks[0]!, blocks[2]!].entries()) {
    const sample = (await org.post("/orders", orders.dear)).body.id;
    const { name: _, ...actions } = pipeline as { name: string };
    const looked = await org.post("/operations/preflight", { order_ids: [sample], ...actions });
    expect(looked.body).toMatchObject({ verdict: "ready", summary: { ok: 1 } });
    const { id: pipeline_id } = (await org.post("/operations/pipelines", pipeline)).body;
    const made = await org.post("/automations", { ...blocks[2 * nth + 1]!, pipeline_id });
    expect(made.status, made.text).toBe(201);
    const tried = (await org.post(`/automations/${made.body.id}/test`, {})).body;
    expect(tried).toMatchObject({ evaluated: nth + 1, matched: nth === 0 ? 0 : 2 });
  }
  const { results } = (await org.post("/orders/bulk", { orders: Object.values(orders) })).body;
  let done: number;
  do {
    await hub.world.sealer.sealNow();
    done = (await workOff(hub.world, automationWork)) + (await workOff(hub.world, runWork));
  } while (done > 0);
  const now: Record<string, { tags: string[]; shipping: object; onHold: boolean; priority: string }> = {};
  for (const [nth, name] of Object.keys(orders).entries()) {
    now[name] = (await org.get(`/orders/${results[nth].id}`)).body;
  }
  const names = (isSo: (order: (typeof now)[string]) => boolean) => Object.keys(now).filter((name) => isSo(now[name]!));
  expect(names(({ tags }) => tags.includes("light"))).toEqual(["light", "packed"]);
  expect(now.light!.shipping).toMatchObject({ carrier: "usps", service: "ground_advantage" });
  expect(now.chosen!.shipping).toEqual({ service: "express" });
  expect(names(({ onHold, tags }) => onHold && tags.includes("export-check"))).toEqual(["dear", "dearest"]);
  expect(names(({ priority }) => priority === "urgent")).toEqual(["dearest"]);
});

test("the other rules of docs/automations.md are accepted, tested, and have the described effect", async () => {
  const org = await hub.org();
  const bridgeId = (await org.post("/bridges", { name: "Demo", connector: "demo" })).body.id;
  const pipelineOf = async (name: string, ...actions: object[]): Promise<string> =>
    (await org.post("/operations/pipelines", { name, actions })).body.id;
  const example = (last: number): string => `0199f0a0-0000-7000-8000-00000000000${last}`;
  const replaced = {
    [example(3)]: bridgeId,
    [example(4)]: await pipelineOf("Go on", { type: "add_tags", params: { tags: ["paid"] } }),
    [example(5)]: await pipelineOf("Hold", { type: "hold", params: { reason: "awaiting_payment" } }),
    [example(6)]: await pipelineOf("Cancel", { type: "cancel", params: { reason: "other" } }),
  };
  const [again, pushes, imports, unpaid] = blocks.slice(4).map((block) => {
    const text = JSON.stringify(block).replaceAll(/0199f0a0-[-0-9a-f]+/g, (id) => replaced[id]!);
    return JSON.parse(text) as { name: string; actions?: object[] };
  });
  const pipeline_id = await pipelineOf(again!.name, ...again!.actions!);
  const ids: string[] = [];
  for (const about of [{ ...pushes, pipeline_id }, imports, unpaid]) {
    const made = await org.post("/automations", about);
    expect(made.status, made.text).toBe(201);
    expect((await org.post(`/automations/${made.body.id}/test`)).status).toBe(200);
    ids.push(made.body.id);
  }
  const orders = [{ paymentStatus: "paid" }, { total: 700 }, { total: 20 }].map((order) => ({
    ...order,
    status: "ready",
  }));
  const { results } = (await org.post("/orders/bulk", { orders })).body;
  const work = async (): Promise<void> => {
    for (let done = 1; done > 0;) {
      await hub.world.sealer.sealNow();
      done = (await workOff(hub.world, automationWork)) + (await workOff(hub.world, runWork));
    }
  };
  await work();
  expect((await org.get(`/automations/${ids[2]}/waiting`)).body.data).toHaveLength(3);
  hub.advance(25 * 3_600_000);
  await work();
  const now = await Promise.all(results.map(async ({ id }: { id: string }) => (await org.get(`/orders/${id}`)).body));
  expect(now).toMatchObject([{ tags: ["paid"] }, { onHold: true }, { status: "cancelled" }]);
});

test("a template in the value of a condition is rejected with its pointer, in every kind of condition", async () => {
  const org = await hub.org();
  const when = { path: "shippingAddress.countryCode", op: "ne", value: "{{billingAddress.countryCode}}" };
  const hold = { type: "hold", params: { reason: "other" } };
  const order_ids = [(await org.post("/orders", {})).body.id];
  const { id: pipeline_id } = (await org.post("/operations/pipelines", { name: "Hold", actions: [hold] })).body;
  const automation = { name: "Abroad", pipeline_id, trigger: { types: ["order.created"] } };
  const { id: bridgeId } = (await org.post("/bridges", { name: "Shop", connector: "demo" })).body;
  const mapping = { name: "Map", bridgeId, taskName: "orders.import", direction: "inbound" };
  const task = { name: "look", mode: "call", request: { path: "/x" }, failsWhen: { condition: when } };
  const rest = { name: "API", connector: "rest", settings: { baseUrl: "https://erp.example.com", tasks: [task] } };
  const each = { target: "lines", each: "items", where: when, mappings: [{ target: "sku", source: "@.sku" }] };
  const refused: [string, object, string][] = [
    ["/operations/run", { order_ids, actions: [{ ...hold, when }] }, "/actions/0/when/value"],
    [
      "/operations/preflight",
      { order_ids, actions: [{ type: "assert", params: { when } }] },
      "/actions/0/params/when/value",
    ],
    ["/automations", { ...automation, when: { all: [when] } }, "/when/all/0/value"],
    [
      "/transformations",
      { ...mapping, mappings: [{ target: "number", source: "no", when }] },
      "/mappings/0/when/value",
    ],
    ["/transformations", { ...mapping, mappings: [each] }, "/mappings/0/where/value"],
    ["/bridges", rest, "/settings/tasks/0/failsWhen/condition/value"],
  ];
  for (const [where, body, pointer] of refused) {
    const answer = await org.post(where, body);
    expect([where, answer.status], answer.text).toEqual([where, 400]);
    expect(answer.body.errors).toMatchObject([{ pointer, code: "template" }]);
  }
});
