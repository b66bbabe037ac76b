import { beforeAll, expect, test } from "vitest";
import { buildOne } from "../../testing/builders.ts";
import type { TestHub, TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";

let hub: TestHub;
let org: TestOrg;
let id: string;
beforeAll(async () => {
  hub = await startTestHub();
  org = await hub.org();
  id = await buildOne(org, "exception");
});

const assign = (assigneeId: string | null, who: { call: TestOrg["call"] } = org) =>
  who.call("PUT", `/exceptions/${id}/assignee`, { assigneeId });

test("an exception is assigned, found by its assignee and unassigned", async () => {
  const { userId } = await org.withRole("operator");
  expect((await assign(userId)).body.assigneeId).toBe(userId);
  expect((await org.get(`/exceptions?assigneeId=${userId}`)).body.data).toMatchObject([{ id, assigneeId: userId }]);
  expect((await org.get(`/exceptions/counts?assigneeId=${userId}`)).body.total).toBe(1);
  expect((await assign(null)).body.assigneeId).toBeNull();
  expect((await org.get(`/exceptions?assigneeId=${userId}`)).body.data).toEqual([]);
  // Twice the same is one event.
  await assign(null);
  const { data } = (await org.get("/events?types=exception.assigned")).body;
  expect(data).toMatchObject([{ data: { assigneeId: userId } }, { data: { assigneeId: null } }]);
});

test("only active users of the organization get exceptions, and only operators assign them", async () => {
  const rival = await hub.org();
  const stranger = await rival.withRole("operator");
  const gone = await org.withRole("operator");
  await org.patch(`/users/${gone.userId}`, { status: "disabled" });
  for (const userId of [stranger.userId, gone.userId, id]) {
    expect((await assign(userId)).body.errors[0]).toMatchObject({ pointer: "/assigneeId", code: "user_not_found" });
  }
  const viewer = await org.withRole("viewer");
  expect((await assign(viewer.userId, viewer)).status).toBe(403);
  expect((await assign(stranger.userId, stranger)).status).toBe(404);
});

test("comments are listed in their order, mention colleagues, and are in no event", async () => {
  const [author, other] = [await org.withRole("operator"), await org.withRole("viewer")];
  const comments = `/exceptions/${id}/comments`;
  const text = "Asked the shop about Ada's address";
  const added = await author.post(comments, { text: ` ${text}\n`, mentions: [other.userId] });
  expect(added).toMatchObject({ status: 201, body: { text, mentions: [other.userId] } });
  await author.post(comments, { text: "Done" });
  const { data } = (await other.get(comments)).body;
  expect(data.map((one: { text: string }) => one.text)).toEqual([text, "Done"]);
  expect((await author.post(comments, { text: " " })).body.errors[0].pointer).toBe("/text");
  const rival = await hub.org();
  const { userId } = await rival.withRole("viewer");
  const foreign = await author.post(comments, { text: "Hi", mentions: [other.userId, userId] });
  expect(foreign.body.errors).toMatchObject([{ pointer: "/mentions/1", code: "user_not_found" }]);
  expect((await rival.get(comments)).status).toBe(404);
  expect((await other.post(comments, { text: "Hi" })).status).toBe(403);
  expect((await org.get("/audit?limit=100")).text).not.toContain("Ada");
});

test("users delete their own comments, administrators any", async () => {
  const [author, other] = [await org.withRole("operator"), await org.withRole("operator")];
  const add = async () => (await author.post(`/exceptions/${id}/comments`, { text: "Wrong" })).body.id as string;
  const first = await add();
  expect((await other.delete(`/exceptions/${id}/comments/${first}`)).body.code).toBe("comment_not_found");
  expect((await author.delete(`/exceptions/${id}/comments/${first}`)).status).toBe(200);
  expect((await author.delete(`/exceptions/${id}/comments/${first}`)).status).toBe(404);
  expect((await org.delete(`/exceptions/${id}/comments/${await add()}`)).status).toBe(200);
});
