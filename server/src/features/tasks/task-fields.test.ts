import { beforeAll, expect, test } from "vitest";
import { schemaFields } from "../../core/schema-fields.ts";
import { findErrorsIn } from "../../core/validation.ts";
import type { TestHub, TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { SyncedLocation } from "../locations/locations.schemas.ts";
import { ImportedOrder } from "../orders/orders.schemas.ts";
import { PulledLevel } from "../stock/stock.schemas.ts";
import { Tracking } from "./attempt/tracking-sink.ts";
import { exampleRecords } from "./example-records.ts";

let hub: TestHub;
let org: TestOrg;
let bridgeId: string;

beforeAll(async () => {
  hub = await startTestHub();
  org = await hub.org();
  bridgeId = (await org.post("/bridges", { name: "Demo", connector: "demo" })).body.id;
});

type Field = { path: string; type: string; required: boolean; example: unknown };

async function fieldsOf(query: string): Promise<Map<string, Field>> {
  const { status, body } = await org.get(`/bridges/${bridgeId}/fields${query}`);
  expect(status).toBe(200);
  return new Map((body.data as Field[]).map((field) => [field.path, field]));
}

test("the fields of the records that a task brings are listed with type, example and which are required", async () => {
  const fields = await fieldsOf("");
  expect(fields.get("number")).toMatchObject({ type: "text", required: false, example: "1001" });
  expect(fields.get("lines[].quantity")).toMatchObject({ type: "number", required: true, example: 2 });
  expect(fields.get("lines[].weight.unit")).toMatchObject({ required: true, example: "oz" });
  expect(fields.get("customFields")).toMatchObject({ isOpen: true, example: null });
  const places = (await org.get(`/bridges/${bridgeId}/fields?taskName=locations.pull`)).body;
  expect(places.recordType).toBe("locations");
  expect(places.data[0]).toMatchObject({ path: "name", required: true, example: "Boston" });
});

test("the fields of a task's input are the targets of its outbound mappings", async () => {
  const input = await fieldsOf("?taskName=noop&direction=outbound");
  expect([...input.keys()]).toEqual(await schemaPaths("noop"));
  // Records that a task sends are in the format of the other system.
  expect((await fieldsOf("?taskName=orders.export&direction=outbound")).size).toBe(0);
  expect((await fieldsOf("?taskName=noop")).size).toBe(0);
});

async function schemaPaths(taskName: string): Promise<string[]> {
  const tasks = (await org.get(`/bridges/${bridgeId}/tasks`)).body.data as { name: string; inputSchema: object }[];
  return schemaFields(tasks.find(({ name }) => name === taskName)!.inputSchema).map(({ path }) => path);
}

test("an unknown task is refused with the nearest one, and a bridge of another organization is not found", async () => {
  const refused = await org.get(`/bridges/${bridgeId}/fields?taskName=orders.imprt`);
  expect(refused.body.errors).toMatchObject([{ code: "unknown_task", suggestion: "orders.import" }]);
  const rival = await hub.org();
  expect((await rival.get(`/bridges/${bridgeId}/fields`)).status).toBe(404);
});

test.each([
  ["orders", ImportedOrder],
  ["locations", SyncedLocation],
  ["tracking", Tracking],
  ["inventory", PulledLevel],
] as const)("the example values of %s are valid, and every required field has one", (recordType, schema) => {
  const example = exampleRecords[recordType];
  expect(findErrorsIn(schema, example)).toEqual([]);
  const top = schemaFields(schema).filter(({ path, required }) => required && !/[.[]/.test(path));
  expect(top.map(({ path }) => path).filter((path) => example[path] === undefined)).toEqual([]);
});
