import { expect, test } from "vitest";
import { afterFile } from "../../testing/after-file.ts";
import { eventually } from "../../testing/eventually.ts";
import { startReceiver } from "../../testing/stand-in-receiver.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { startDeliveries } from "./webhooks.ts";

test("the preview delivers to its own endpoint and makes no outbound request", async () => {
  const hub = await startTestHub({ environment: "preview" });
  const engine = startDeliveries(hub.world, { slots: 8 });
  afterFile(() => engine.stop());
  const org = await hub.org();
  const receiver = await startReceiver();
  const refused = await org.post("/webhooks", { url: receiver.url, types: ["order.*"] });
  expect([refused.status, refused.body.code]).toEqual([409, "outbound_disabled_in_preview"]);
  expect((await org.post("/webhooks", { url: "echo:99", types: ["order.*"] })).status).toBe(400);
  const [well, failing] = await Promise.all(
    [200, 503].map(async (status) => (await org.post("/webhooks", { url: `echo:${status}`, types: ["order.*"] })).body),
  );
  await org.post("/orders", {});
  const list = async (id: string) => (await org.get(`/webhooks/${id}/deliveries`)).body.data;
  await eventually(
    () => list(well.id),
    ([first]) => first?.status === "delivered",
  );
  await eventually(
    () => list(failing.id),
    ([first]) => first?.lastResponseStatus === 503,
  );
  expect((await org.post(`/webhooks/${well.id}/test`)).body).toMatchObject({ ok: true, response: { status: 200 } });
  // One that was set up while the preview could call: no request is sent now.
  await hub.world.db.query("update webhooks set url = $2 where id = $1", [well.id, receiver.url]);
  const called = await org.post(`/webhooks/${well.id}/test`);
  expect([called.status, called.body.code, receiver.received]).toEqual([409, "outbound_disabled_in_preview", []]);
  await org.post("/orders", {});
  await eventually(
    () => list(well.id),
    ([first]) => first?.lastError?.code === "outbound_disabled_in_preview",
  );
  expect(receiver.received).toEqual([]);
});

test("if private addresses are denied, a webhook reaches none, as IP or name, and needs TLS", async () => {
  const hub = await startTestHub({ settings: { outbound: { allowPrivate: false, allowFromPreview: false } } });
  const org = await hub.org();
  const receiver = await startReceiver();
  const problemOf = async (url: string): Promise<string> =>
    (await org.post("/webhooks", { url, types: ["order.*"] })).body.errors?.[0].code;
  const { port } = new URL(receiver.url);
  expect(await problemOf("http://hooks.example.com/")).toBe("https_required");
  const inner = ["127.0.0.1", "[::1]", "0x7f.1", "2130706433", "[::ffff:127.0.0.1]", "10.0.0.1", "[fd00::1]"];
  for (const host of [...inner, "localhost", "LOCALHOST", "localhost.", "shop.localhost"]) {
    expect([host, await problemOf(`https://${host}:${port}/`)]).toEqual([host, "address_not_allowed"]);
  }
  const { body } = await org.post("/webhooks", { url: "https://hooks.example.com/", types: ["order.*"] });
  const sending = async (): Promise<string> => (await org.post(`/webhooks/${body.id}/test`)).body.error.code;
  // One that was set up while they were allowed, and http with them.
  const setUp = "update webhooks set url = $2 where id = $1";
  for (const [url, code] of [
    [`https://localhost:${port}/`, "address_not_allowed"],
    [`http://localhost:${port}/`, "https_required"],
    [`https://127.0.0.1:${port}/`, "address_not_allowed"],
  ]) {
    await hub.world.db.query(setUp, [body.id, url]);
    expect([url, await sending()]).toEqual([url, code]);
  }
  expect(receiver.received).toEqual([]);
});

test("a rejected webhook to the own machine names the setting that allows it", async () => {
  const hub = await startTestHub({ settings: { outbound: { allowPrivate: false, allowFromPreview: false } } });
  const org = await hub.org();
  const refusalOf = async (url: string): Promise<string> =>
    (await org.post("/webhooks", { url, types: ["order.*"] })).body.errors[0].message;
  for (const url of ["http://localhost:3000/hooks", "https://localhost:3000/hooks", "http://127.0.0.1:3000/hooks"]) {
    expect(await refusalOf(url)).toMatch(/loopback; .* unless it is started with HUB_PRIVATE_ADDRESSES=allow\.$/);
  }
  // No setting allows this one.
  expect(await refusalOf("https://169.254.169.254/")).toMatch(
    /metadata service; the hub does not call such addresses\.$/,
  );
});
