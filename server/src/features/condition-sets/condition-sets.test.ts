import { expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";

const hub = await startTestHub();
const org = await hub.org();

test("creates, reads, changes and deletes a set", async () => {
  const created = await org.post("/condition-sets", { name: "Remote", description: "slow" });
  expect(created.status).toBe(201);
  const read = await org.get(`/condition-sets/${created.body.id}`);
  expect(read.body).toEqual(created.body);
});
