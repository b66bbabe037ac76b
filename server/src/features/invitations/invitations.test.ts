import { beforeAll, describe, expect, test } from "vitest";
import { workOff } from "../../queue/work.ts";
import { afterFile } from "../../testing/after-file.ts";
import { buildFor } from "../../testing/mail-fixture.ts";
import type { StandInMailServer } from "../../testing/stand-in-mail-server.ts";
import { startMailServer } from "../../testing/stand-in-mail-server.ts";
import type { TestHub, TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { mailWork } from "../mails/mails.ts";
import { removeOldInvitations } from "./invitations.ts";

let hub: TestHub;
let org: TestOrg;
let server: StandInMailServer;
beforeAll(async () => {
  server = await startMailServer({ authOptional: true });
  afterFile(() => server.close());
  hub = await startTestHub();
  org = await hub.org();
});

const { tokenIn, mailServerAt, mailsTo } = buildFor(() => server);
const ownPage = { headers: { "sec-fetch-site": "same-origin" } };
const password = "quiet marble lantern";
let people = 0;
const someone = (): string => `person${++people}@shop.example`;
const invite = async (email: string, role = "operator", who = org) => await who.post("/invitations", { email, role });
const check = (token: string) => hub.anonymous.post("/auth/invitation/check", { token });
const accept = (token: string, more: object = {}) =>
  hub.anonymous.post("/auth/invitation/accept", { token, name: "Kim", password, ...more }, ownPage);
const expire = (id: string) =>
  hub.world.db.query("update invitations set expires_at = now() - interval '1 second' where id = $1", [id]);

describe("an invitation", () => {
  test("gives a link with which the person chooses name and password, and is signed in", async () => {
    const email = someone();
    const { status, body } = await invite(email);
    expect([status, body.status, body.emailedAt]).toEqual([201, "open", null]);
    expect(body.url).toMatch(/^\/invitation#[\w-]{43}$/);
    const token = tokenIn(body.url);
    const rows = await hub.world.db.query("select from invitations where token_hash::text like '%' || $1 || '%'", [
      token,
    ]);
    expect(rows).toEqual([]);
    expect((await check(token)).body).toMatchObject({ email, role: "operator", organization: expect.any(String) });
    const accepted = await accept(token);
    expect(accepted.status).toBe(201);
    const [cookie] = accepted.headers.get("set-cookie")!.split("; ");
    const me = await hub.anonymous.get("/me", { headers: { cookie: cookie! } });
    expect(me.body).toMatchObject({ name: "Kim", role: "operator", organization: { id: org.id } });
    const signedIn = await hub.anonymous.post("/auth/token", { email, password });
    expect(signedIn.status).toBe(200);
    expect((await org.get(`/invitations/${body.id}`)).body.status).toBe("accepted");
    const { data } = (await org.get("/audit?limit=100")).body as { data: { type: string }[] };
    expect(data.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["invitation.created", "invitation.accepted", "user.created"]),
    );
    expect(JSON.stringify(data)).not.toContain(token);
  });

  test("works once, also for two requests at the same time", async () => {
    const token = tokenIn((await invite(someone())).body.url);
    const answers = await Promise.all([accept(token), accept(token)]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 410]);
    expect((await check(token)).body.code).toBe("link_used");
  });

  test("expires, is revoked or is replaced by a newer link, and says so", async () => {
    const [late, revoked, resent] = [await invite(someone()), await invite(someone()), await invite(someone())];
    await expire(late.body.id);
    expect((await accept(tokenIn(late.body.url))).body).toMatchObject({ status: 410, code: "link_expired" });
    expect((await org.get("/invitations?status=expired")).body.data).toMatchObject([{ id: late.body.id }]);
    expect((await org.post(`/invitations/${revoked.body.id}/revoke`)).body.status).toBe("revoked");
    expect((await accept(tokenIn(revoked.body.url))).body.code).toBe("link_revoked");
    expect((await org.post(`/invitations/${revoked.body.id}/resend`)).status).toBe(409);
    const again = await org.post(`/invitations/${resent.body.id}/resend`);
    expect((await check(tokenIn(resent.body.url))).body.code).toBe("invalid_link");
    expect((await check(tokenIn(again.body.url))).status).toBe(200);
    // An expired one can be sent again, or be replaced by a new invitation.
    expect((await org.post(`/invitations/${late.body.id}/resend`)).body.status).toBe("open");
    await expire(late.body.id);
    expect((await invite(late.body.email)).status).toBe(201);
  });

  test("is refused for addresses that have an account or an open invitation", async () => {
    const email = someone();
    const first = await invite(email);
    expect((await invite(email.toUpperCase())).body.code).toBe("invitation_exists");
    await accept(tokenIn(first.body.url));
    expect((await invite(email)).body.code).toBe("email_taken");
    expect((await invite("nonsense")).body.errors[0].pointer).toBe("/email");
  });

  test("rejects weak passwords and keeps the link", async () => {
    const token = tokenIn((await invite(someone())).body.url);
    const weak = await accept(token, { password: "password123" });
    expect(weak.body.errors[0]).toMatchObject({ pointer: "/password", code: "password_too_common" });
    expect((await accept(token, { name: " " })).body.errors[0].pointer).toBe("/name");
    expect((await accept(token)).status).toBe(201);
  });
});

describe("roles", () => {
  test("only administrators invite, and not to a wider role than their own", async () => {
    const operator = await org.withRole("operator");
    expect((await operator.post("/invitations", { email: someone(), role: "viewer" })).status).toBe(403);
    expect((await operator.get("/invitations")).status).toBe(403);
    const narrow = await org.withScopes(["orders:read"]);
    expect((await narrow.post("/invitations", { email: someone(), role: "viewer" })).status).toBe(403);
  });

  test("a key of the hub operator without the scopes across organizations invites no administrator", async () => {
    const key = hub.client((await hub.operator.post("/api-keys", { name: "narrow", scopes: ["admin"] })).body.key);
    const refused = await key.post("/invitations", { email: someone(), role: "admin" });
    expect(refused.body.errors[0]).toMatchObject({ pointer: "/role", code: "scope_not_held" });
    const { id } = (await hub.operator.post("/invitations", { email: someone(), role: "admin" })).body;
    expect((await key.post(`/invitations/${id}/resend`)).status).toBe(400);
    expect((await key.post("/invitations", { email: someone(), role: "operator" })).status).toBe(201);
  });

  test("a link stops working when its inviter is disabled", async () => {
    const admin = await org.withRole("admin");
    const { url } = (await admin.post("/invitations", { email: someone(), role: "admin" })).body;
    expect((await check(tokenIn(url))).status).toBe(200);
    await org.patch(`/users/${admin.userId}`, { status: "disabled" });
    expect((await accept(tokenIn(url))).body.code).toBe("link_revoked");
  });

  test("another organization sees nothing of it", async () => {
    const rival = await hub.org();
    const { id } = (await invite(someone())).body;
    expect((await rival.get(`/invitations/${id}`)).body.code).toBe("invitation_not_found");
    expect((await rival.post(`/invitations/${id}/resend`)).status).toBe(404);
    expect((await rival.get("/invitations")).body.data).toEqual([]);
  });
});

test("with a mail server the link is sent; a server that defers it gets it again, and the table holds no link", async () => {
  hub.world.settings.outbound.mailServer = mailServerAt();
  hub.world.settings.publicUrls = ["https://hub.example.com"];
  const email = someone();
  server.inject({ kind: "code", at: "RCPT", code: 451, text: "4.7.1 later", times: 1 });
  const { url, emailedAt } = (await invite(email)).body;
  expect(url).toMatch(/^https:\/\/hub\.example\.com\/invitation#/);
  expect(emailedAt).not.toBeNull();
  const [row] = await hub.world.db.query<{ sealed: string }>("select sealed from mails");
  expect(row!.sealed).not.toContain(tokenIn(url));
  await workOff(hub.world, mailWork);
  expect(mailsTo(email)).toEqual([]);
  await hub.world.db.query("update mails set due_at = now()");
  await workOff(hub.world, mailWork);
  expect(mailsTo(email)).toMatchObject([{ from: "hub@example.com" }]);
  expect(mailsTo(email)[0]!.text).toContain(url);
  expect(await hub.world.db.query("select from mails")).toEqual([]);
  delete hub.world.settings.outbound.mailServer;
  delete hub.world.settings.publicUrls;
});

test("old invitations are removed", async () => {
  const { id } = (await invite(someone())).body;
  await removeOldInvitations(hub.world);
  expect((await org.get(`/invitations/${id}`)).status).toBe(200);
  await hub.world.db.query("update invitations set expires_at = now() - interval '31 days' where id = $1", [id]);
  await removeOldInvitations(hub.world);
  expect((await org.get(`/invitations/${id}`)).status).toBe(404);
});
