import { expect, test } from "vitest";
import { startTestHub } from "../../../testing/test-hub.ts";
import type { TestOrg } from "../../../testing/test-hub.ts";
import { lockBehindAcrossOrgs } from "./deliveries.store.ts";

test("an organization with many webhooks that are far behind does not keep another one's from being planned", async () => {
  const hub = await startTestHub();
  const [busy, quiet] = [await hub.org(), await hub.org()];
  const make = async (org: TestOrg): Promise<string> =>
    (await org.post("/webhooks", { url: "http://127.0.0.1:9/", types: ["order.*"] })).body.id;
  const made: string[] = [];
  for (let n = 0; n < 60; n++) made.push(await make(busy));
  const id = await make(quiet);
  for (const org of [busy, quiet]) await org.post("/orders", {});
  for (const org of [busy, quiet]) await hub.world.sealer.sealNow(org.id);
  await hub.world.db.transaction(async (tx) => {
    const planned = (await lockBehindAcrossOrgs(tx, undefined)).map((webhook) => webhook.id);
    expect(planned).toHaveLength(50);
    expect(planned).toContain(id);
    // Whoever else looks meanwhile gets others.
    const others = await hub.world.db.transaction((tx2) => lockBehindAcrossOrgs(tx2, undefined));
    expect(others.filter((webhook) => planned.includes(webhook.id))).toEqual([]);
  });
  expect(made).toHaveLength(60);
});
