import { beforeAll, describe, expect, test } from "vitest";
import { totpCode, totpStep } from "../../core/totp-codes.ts";
import { workOff } from "../../queue/work.ts";
import { afterFile } from "../../testing/after-file.ts";
import { fromBase32 } from "../../testing/from-base32.ts";
import { buildFor } from "../../testing/mail-fixture.ts";
import type { StandInMailServer } from "../../testing/stand-in-mail-server.ts";
import { startMailServer } from "../../testing/stand-in-mail-server.ts";
import type { TestHub, TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";
import { mailWork } from "../mails/mails.ts";
import { answerResetRequests } from "./auth.ts";

let hub: TestHub;
let org: TestOrg;
let server: StandInMailServer;
const { tokenIn, mailServerAt, mailsTo } = buildFor(() => server);
const newPassword = "quiet marble lantern";

beforeAll(async () => {
  server = await startMailServer({ authOptional: true });
  afterFile(() => server.close());
  hub = await startTestHub();
  org = await hub.org();
  hub.world.settings.outbound.mailServer = mailServerAt();
  hub.world.settings.publicUrls = ["https://hub.example.com"];
});

const ask = (email: string) => hub.anonymous.post("/auth/password-reset", { email });
const confirm = (token: string, password = newPassword) =>
  hub.anonymous.post("/auth/password-reset/confirm", { token, password });
const signIn = (email: string, password: string, more: object = {}) =>
  hub.anonymous.post("/auth/token", { email, password, ...more });
const answer = async (): Promise<void> => {
  await answerResetRequests(hub.world);
  await workOff(hub.world, mailWork);
};
async function aPerson(role: "viewer" | "operator" | "admin" = "operator") {
  const person = await org.withRole(role);
  return { ...person, email: (await person.get("/me")).body.actor.email as string };
}
const linkTo = (email: string): string => /https:\S+reset-password#[\w-]{43}/.exec(mailsTo(email).at(-1)!.text)![0];

describe("a forgotten password", () => {
  test("is replaced through a link by e-mail, which ends all sessions and works once", async () => {
    const person = await aPerson();
    expect((await hub.anonymous.get("/auth/methods")).body.passwordReset).toBe(true);
    expect(await ask(person.email.toUpperCase())).toMatchObject({ status: 202, body: { requested: true } });
    await answer();
    const token = tokenIn(linkTo(person.email));
    const shown = await hub.anonymous.post("/auth/password-reset/check", { token });
    expect(shown.body).toMatchObject({ email: person.email });
    expect((await confirm(token, "password123")).body.errors[0].pointer).toBe("/password");
    expect((await person.get("/me")).status).toBe(200);
    const both = await Promise.all([confirm(token), confirm(token)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 410]);
    expect((await person.get("/me")).status).toBe(401);
    expect((await signIn(person.email, org.admin.password)).status).toBe(401);
    expect((await signIn(person.email, newPassword)).status).toBe(200);
    expect((await confirm(token)).body.code).toBe("link_used");
    const { data } = (await org.get("/audit?limit=50")).body as { data: { type: string }[] };
    expect(data.map(({ type }) => type)).toContain("user.password_reset_requested");
    expect(JSON.stringify(data)).not.toContain(token);
  });

  test("is answered in the same way for unknown addresses, and leaves the same behind", async () => {
    const email = "nobody-here@shop.example";
    expect(await ask(email)).toMatchObject({ status: 202, body: { requested: true } });
    const rows = await hub.world.db.query("select from password_reset_requests");
    expect(rows).toHaveLength(1);
    await answer();
    expect(mailsTo(email)).toEqual([]);
    expect(await hub.world.db.query("select from password_reset_requests")).toEqual([]);
  });

  test("sends one mail in five minutes; the link expires after an hour, or with another password", async () => {
    const person = await aPerson();
    await ask(person.email);
    await ask(person.email);
    await answer();
    await ask(person.email);
    await answer();
    expect(mailsTo(person.email)).toHaveLength(1);
    const first = tokenIn(linkTo(person.email));
    hub.advance(6 * 60_000);
    await ask(person.email);
    await answer();
    expect(mailsTo(person.email)).toHaveLength(2);
    await org.patch(`/users/${person.userId}`, { password: "yet another phrase" });
    expect((await confirm(first)).body.code).toBe("link_used");
    const other = await aPerson();
    await ask(other.email);
    await answer();
    hub.advance(61 * 60_000);
    expect((await confirm(tokenIn(linkTo(other.email)))).body.code).toBe("link_expired");
  });

  test("still asks for the code of the authenticator app", async () => {
    const person = await aPerson();
    const { body } = await person.post("/me/totp");
    const secret = fromBase32(body.secret);
    await person.post("/me/totp/confirm", { code: totpCode(secret, totpStep(hub.world.clock.real())) });
    await ask(person.email);
    await answer();
    expect((await confirm(tokenIn(linkTo(person.email)))).status).toBe(200);
    expect((await signIn(person.email, newPassword)).body.code).toBe("totp_required");
  });

  test("of disabled users and users without a password is not replaced", async () => {
    const person = await aPerson();
    await ask(person.email);
    await answer();
    const token = tokenIn(linkTo(person.email));
    await org.patch(`/users/${person.userId}`, { status: "disabled" });
    expect((await confirm(token)).body.code).toBe("invalid_link");
    const issuers = { email: "through-issuer@shop.example", role: "viewer" };
    await org.post("/users", issuers);
    await ask(issuers.email);
    await ask(person.email);
    await answer();
    expect(mailsTo(issuers.email)).toEqual([]);
    expect(mailsTo(person.email)).toHaveLength(1);
  });

  test("requests of one client are limited", async () => {
    const limited = await startTestHub({ settings: { maxSignInFailures: 3 } });
    limited.world.settings.outbound.mailServer = mailServerAt();
    limited.world.settings.publicUrls = ["https://hub.example.com"];
    const statuses: number[] = [];
    for (let at = 0; at < 5; at++) {
      statuses.push((await limited.anonymous.post("/auth/password-reset", { email: `a${at}@b.example` })).status);
    }
    expect(statuses).toEqual([202, 202, 202, 429, 429]);
  });
});

describe("without a mail server", () => {
  test("people are sent to an administrator, who creates a link", async () => {
    const plain = await startTestHub();
    const tenant = await plain.org();
    expect((await plain.anonymous.get("/auth/methods")).body.passwordReset).toBe(false);
    const refused = await plain.anonymous.post("/auth/password-reset", { email: tenant.admin.email });
    expect(refused.body.code).toBe("mail_not_configured");
    const operator = await tenant.withRole("operator");
    const { body, status } = await tenant.post(`/users/${operator.userId}/password-reset`);
    expect(status).toBe(201);
    expect(body.url).toMatch(/^\/reset-password#[\w-]{43}$/);
    const done = await plain.anonymous.post("/auth/password-reset/confirm", {
      token: tokenIn(body.url),
      password: newPassword,
    });
    expect(done.body).toEqual({ changed: true });
    expect((await operator.get("/me")).status).toBe(401);
    const rival = await plain.org();
    expect((await rival.post(`/users/${operator.userId}/password-reset`)).status).toBe(404);
  });

  test("a preview sends no mail", async () => {
    const preview = await startTestHub({ environment: "preview" });
    preview.world.settings.outbound.mailServer = mailServerAt();
    preview.world.settings.publicUrls = ["https://hub.example.com"];
    expect((await preview.anonymous.get("/auth/methods")).body.passwordReset).toBe(false);
  });
});

describe("the own account", () => {
  test("has a name that its user changes", async () => {
    const person = await aPerson("viewer");
    expect((await person.patch("/me", { name: "Ada Byron" })).body.name).toBe("Ada Byron");
    expect((await person.get("/me")).body.name).toBe("Ada Byron");
    expect((await person.patch("/me", { name: "" })).status).toBe(400);
    expect((await org.patch("/me", { name: "Key" })).status).toBe(409);
    const { data } = (await person.get("/people")).body as { data: { id: string; name: string }[] };
    expect(data).toContainEqual(expect.objectContaining({ id: person.userId, name: "Ada Byron", isActive: true }));
  });

  test("has an e-mail address that is changed with the password; the former address gets a message", async () => {
    const person = await aPerson();
    const email = "new-address@shop.example";
    const wrong = await person.post("/me/email", { email, currentPassword: "wrong" });
    expect(wrong.body.errors[0]).toMatchObject({ pointer: "/currentPassword", code: "incorrect_password" });
    await ask(person.email);
    await answer();
    const link = tokenIn(linkTo(person.email));
    const currentPassword = org.admin.password;
    expect((await person.post("/me/email", { email: org.admin.email, currentPassword })).body.code).toBe("email_taken");
    expect((await person.post("/me/email", { email, currentPassword })).body.email).toBe(email);
    await workOff(hub.world, mailWork);
    expect(mailsTo(person.email).at(-1)!.text).toContain(email);
    expect((await confirm(link)).body.code).toBe("link_used");
    expect((await signIn(email, currentPassword)).status).toBe(200);
    expect((await signIn(person.email, currentPassword)).status).toBe(401);
  });
});
