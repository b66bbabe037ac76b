import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();
/** What the shop was asked with. */
const heard: (string | undefined)[] = [];
const shop = createServer((request, response) => {
  heard.push(request.headers["x-app-key"]?.toString());
  response.writeHead(200, { "content-type": "application/json" });
  response.end("{}");
});
await new Promise<void>((resolve) => void shop.listen(0, "127.0.0.1", resolve));
afterAll(() => shop.close());
const baseUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;

async function aBridge(credentials: object = {}): Promise<string> {
  const name = `Shop ${crypto.randomUUID()}`;
  const { status, body } = await org.post("/bridges", { name, connector: "rest", settings: { baseUrl }, credentials });
  expect(status).toBe(201);
  return body.id;
}

const timing = { cron: "0 3 * * *", taskName: "http.request" };
const person = { name: "Zelda Quux", email: "zelda@quux.example", tel: 15185550199 };
const secret = "schedule-secret-1";

describe("the input of a task", () => {
  test("shows no personal data in a schedule without pii:read, as in its executions", async () => {
    const input = { path: "/people", method: "POST", body: { customer: person } };
    const { body: made } = await org.post("/schedules", { ...timing, bridgeId: await aBridge(), input });
    expect(made.input).toMatchObject(input);
    const viewer = await org.withRole("viewer");
    for (const answer of [await viewer.get(`/schedules/${made.id}`), await viewer.get("/schedules")]) {
      expect(answer.status).toBe(200);
      expect(answer.text).not.toMatch(/quux|zelda|15185550199/i);
      expect(answer.text).toContain('"path":"/people"');
    }
    // Who sends back what was hidden would have it stored.
    const writer = await org.withScopes(["schedules:write", "schedules:read", "tasks:execute", "bridges:read"]);
    const shown = (await writer.get(`/schedules/${made.id}`)).body.input;
    const refused = await writer.patch(`/schedules/${made.id}`, { input: shown });
    expect(refused.body.errors).toContainEqual(
      expect.objectContaining({ pointer: "/input/body/customer/name", code: "masked_value" }),
    );
    expect((await writer.patch(`/schedules/${made.id}`, { input: { path: "/others" } })).status).toBe(200);
    expect((await org.get(`/schedules/${made.id}`)).body.input).toMatchObject({ ...input, path: "/others" });
  });

  test("must not contain credentials, which belong to the bridge", async () => {
    const bridgeId = await aBridge({ headers: { "X-App-Key": secret } });
    const input = { path: "/orders", headers: { "X-App-Key": "another" } };
    const task = { bridgeId, taskName: "http.request", input };
    const step = { type: "run_task", params: { bridge_id: bridgeId, task_name: "http.request", input } };
    const { id } = (await org.post("/schedules", { ...timing, bridgeId, input: { path: "/orders" } })).body;
    const refused = {
      "/input/headers/X-App-Key": [
        await org.post("/tasks/execute-sync", task),
        await org.post("/schedules", { ...timing, bridgeId, input }),
        await org.patch(`/schedules/${id}`, { input }),
      ],
      "/actions/0/params/input/headers/X-App-Key": [
        await org.post("/operations/pipelines", { name: "Call", actions: [step] }),
        await org.post("/operations/run", { order_ids: ["1"], actions: [step] }),
        await org.post("/operations/preflight", { order_ids: ["1"], actions: [step] }),
      ],
    };
    for (const [pointer, answers] of Object.entries(refused)) {
      for (const { status, body } of answers) {
        expect([status, body.errors?.[0]]).toMatchObject([400, { pointer, code: "credential_in_input" }]);
      }
    }
    const { body: done } = await org.post("/tasks/execute-sync", { ...task, input: { path: "/orders" } });
    expect(done.status).toBe("succeeded");
    expect(heard.at(-1)).toBe(secret);
    expect((await org.get(`/bridges/${bridgeId}`)).text).not.toContain(secret);
  });

  test("with credentials from before is hidden, and still runs", async () => {
    const bridgeId = await aBridge();
    const { id } = (await org.post("/schedules", { ...timing, bridgeId, input: { path: "/orders" } })).body;
    const old = { path: "/orders", headers: { "X-App-Key": secret } };
    await hub.world.db.query("update schedules set input = $2 where id = $1", [id, old]);
    expect((await org.get(`/schedules/${id}`)).body.input.headers).toEqual({ "X-App-Key": "***" });
    const { executionId } = (await org.post(`/schedules/${id}/trigger`)).body;
    const { body: run } = await org.get(`/tasks/executions/${executionId}`);
    expect(run.input.headers).toEqual({ "X-App-Key": "***" });
    await expect.poll(async () => (await org.get(`/tasks/executions/${executionId}`)).body.status).toBe("succeeded");
    expect(heard.at(-1)).toBe(secret);
    expect((await org.post(`/schedules/${id}/pause`)).status).toBe(200);
    expect((await org.post(`/schedules/${id}/resume`)).status).toBe(200);
    const moved = await org.patch(`/schedules/${id}`, { input: { headers: null } });
    expect(moved.body.input).not.toHaveProperty("headers");
  });

  test("is not in the audit log, which has the names of its members without values", async () => {
    const bridgeId = await aBridge();
    const input = { path: "/people", body: { customer: person, note: secret } };
    const { id } = (await org.post("/schedules", { ...timing, bridgeId, input })).body;
    await org.patch(`/schedules/${id}`, { input: { body: { note: null, more: secret } } });
    const { body, text } = await org.get(`/audit?objectId=${id}`);
    expect(text).not.toMatch(/quux|15185550199|schedule-secret|people/);
    expect(body.data.map(({ data }: { data: { input: unknown } }) => data.input)).toMatchObject([
      { body: { note: null, more: "***" } },
      { path: "***", body: { customer: { name: "***", email: "***", tel: "***" }, note: "***" } },
    ]);
    const { body: feed } = await org.get("/events?types=schedule.updated");
    expect(feed.data.at(-1).data.changed).toEqual(["input"]);
  });
});
