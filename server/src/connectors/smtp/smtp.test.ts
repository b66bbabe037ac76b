import tls from "node:tls";
import { beforeAll, describe, expect, test } from "vitest";
import { wakeTaskEngines } from "../../features/tasks/engine/wake-engines.ts";
import { afterFile } from "../../testing/after-file.ts";
import { eventually } from "../../testing/eventually.ts";
import { mailCertificate } from "../../testing/mail-certificate.ts";
import type { ReceivedMail, StandInMailServer } from "../../testing/stand-in-mail-server.ts";
import { mailUser, startMailServer } from "../../testing/stand-in-mail-server.ts";
import type { TestHub, TestOrg } from "../../testing/test-hub.ts";
import { startTestHub } from "../../testing/test-hub.ts";

let hub: TestHub;
let org: TestOrg;
let server: StandInMailServer;
let bridge_id: string;
let bridges = 0;

beforeAll(async () => {
  tls.setDefaultCACertificates([...tls.getCACertificates(), mailCertificate.cert]);
  hub = await startTestHub();
  org = await hub.org();
  server = await startMailServer();
  afterFile(() => server.close());
  bridge_id = await aMailBridge({ host: "localhost", port: server.port, replyTo: "help@example.com" });
});

async function aMailBridge(settings: object, credentials: object = mailUser, who: TestOrg = org): Promise<string> {
  const from = { from: "orders@example.com", fromName: "Byron, Mugs & Co" };
  const made = await who.post("/bridges", {
    name: `Mail ${++bridges}`,
    connector: "smtp",
    settings: { ...from, ...settings },
    credentials,
  });
  expect(made.text).toContain('"id"');
  return made.body.id;
}

const customer = { name: "Ada <Byron>", email: "ada@example.org" };
const anOrder = async (more: object = {}) =>
  (await org.post("/orders", { status: "ready", customer, lines: [{ sku: "MUG", quantity: 1 }], ...more })).body;
const run = async (order_ids: string[], params: object, type = "send_email", who: TestOrg = org) =>
  (await who.post("/operations/run", { order_ids, actions: [{ type, params: { bridge_id, ...params } }] })).body;
const executionOf = ({ results }: { results: { steps: { execution_id: string }[] }[] }): string =>
  results[0]!.steps[0]!.execution_id;
const read = async (id: string) => (await org.get(`/tasks/executions/${id}`)).body;
const ended = (id: string) =>
  eventually(
    () => read(id),
    ({ finishedAt }) => finishedAt !== null,
  );
const mailsTo = (address: string): ReceivedMail[] => server.received.filter(({ to }) => to.includes(address));
/** A retry that waits for minutes is due at once. */
async function hurry(id: string): Promise<void> {
  await hub.world.db.query("update task_executions set due_at = now(), next_attempt_at = null where id = $1", [id]);
  wakeTaskEngines(hub.world, 0);
}
const textOf = ({ raw }: ReceivedMail) => raw.replaceAll("=\r\n", "");
let people = 0;
const someone = (): string => `person${++people}@example.org`;

describe("send_email", () => {
  test("sends the mail once, by STARTTLS and with the password, with values of the order", async () => {
    const email = someone();
    const order = await anOrder({ customer: { ...customer, email } });
    const shipped = { type: "mark_shipped", params: { tracking_number: "TRK-1" } };
    await org.post("/operations/run", { order_ids: [order.id], actions: [shipped] });
    const done = await run([order.id], {
      subject: "Order {{number}} shipped",
      text: "Hello {{customer.name}},\nyour number is {{shipments[0].trackingNumber}}.",
      html: "<p>Hello {{customer.name}}, <b>{{shipments[0].trackingNumber}}</b></p>",
    });
    expect(done).toMatchObject({ status: "succeeded", results: [{ steps: [{ status: "applied" }] }] });
    const execution = await ended(executionOf(done));
    expect(execution).toMatchObject({ status: "succeeded", result: { sent: true, recipients: 1 } });
    const [mail, ...more] = mailsTo(email);
    expect(more).toEqual([]);
    expect(mail).toMatchObject({ from: "orders@example.com", isEncrypted: true, user: mailUser.username });
    const text = textOf(mail!);
    expect(text).toContain(`Subject: Order ${order.number} shipped`);
    expect(text).toContain('From: "Byron, Mugs & Co" <orders@example.com>');
    expect(text).toContain("Reply-To: help@example.com");
    expect(text).toContain("Auto-Submitted: auto-generated");
    expect(text).toContain(`Message-ID: ${execution.result.messageId}`);
    expect(text).toContain("Hello Ada <Byron>,\r\nyour number is TRK-1.");
    // What customers enter does not become a tag.
    expect(text).toContain("<p>Hello Ada &lt;Byron&gt;, <b>TRK-1</b></p>");
    const undo = await org.post(`/operations/runs/${done.id}/undo/preflight`, {});
    expect(JSON.stringify(undo.body)).toContain("cannot be called back");
  });

  test("sends to the assignee, listed addresses and addresses in fields, each once", async () => {
    const { userId } = await org.withRole("operator");
    const { email } = (await org.get(`/users/${userId}`)).body;
    const [first, second] = [someone(), someone()];
    const order = await anOrder({ assigneeId: userId, customFields: { rep: second } });
    const to = ["assignee", first, "{{customFields.rep}}"];
    await ended(executionOf(await run([order.id], { to, subject: "Hi", text: "Hello" })));
    expect(mailsTo(first)).toMatchObject([{ to: [email, first, second] }]);
  });

  test("preflight names orders without a recipient, and the run fails them and sends the others", async () => {
    const none = await anOrder({ customer: {} });
    const odd = await anOrder({ customer: { email: "a@b.c\r\nBcc: eve@example.org" } });
    const two = await anOrder({ customer: { email: "x@example.org, eve@example.org" } });
    const fine = await anOrder({ customer: { email: someone() } });
    const order_ids = [none, odd, two, fine].map(({ id }) => id);
    const params = { subject: "Hi", text: "Hello" };
    const actions = [{ type: "send_email", params: { bridge_id, ...params } }];
    const check = (await org.post("/operations/preflight", { order_ids, actions })).body;
    const codes = check.orders.map(({ steps }: { steps: { error?: { code: string } }[] }) => steps[0]!.error?.code);
    expect(codes).toEqual(["no_customer_email", "invalid_email", "invalid_email", undefined]);
    expect(await run(order_ids, params)).toMatchObject({ summary: { succeeded: 1, failed: 3 } });
    const alone = await anOrder();
    const unassigned = await run([alone.id], { ...params, to: ["assignee"] });
    expect(unassigned.results[0].steps[0].error.code).toBe("no_assignee");
  });

  test("a value with a line break cannot add a header", async () => {
    const email = someone();
    const order = await anOrder({ customer: { email, name: "Ada\r\nBcc: eve@example.org" } });
    const done = await run([order.id], { subject: "For {{customer.name}}", text: "Hello" });
    expect(done.results[0].steps[0]).toMatchObject({ status: "failed", error: { code: "template_result" } });
    // The same through the task, which no template protects.
    const input = { to: [email], subject: "Hi\r\nBcc: eve@example.org", text: "Hello" };
    const direct = await org.post("/tasks/execute-sync", { bridgeId: bridge_id, taskName: "mail.send", input });
    expect([direct.status, direct.body.errors[0].pointer]).toEqual([400, "/input/subject"]);
    expect(mailsTo(email)).toEqual([]);
  });

  test.each([
    [{ to: ["ada"], subject: "a", text: "b" }, "/actions/0/params/to/0"],
    [{ to: [], subject: "a", text: "b" }, "/actions/0/params/to"],
    [{ subject: "a\nb", text: "b" }, "/actions/0/params/subject"],
    [{ subject: "a", text: "  " }, "/actions/0/params/text"],
    [{ subject: "{{numbr}}", text: "b" }, "/actions/0/params/subject"],
    [{ subject: "a", text: "b", reply_to: "ada" }, "/actions/0/params/reply_to"],
    [{ subject: "a", text: "b", cc: ["ada@example.org"] }, "/actions/0/params/cc"],
  ])("is refused with %j", async (params, pointer) => {
    const order = await anOrder();
    const refused = await run([order.id], params);
    expect(refused.errors[0].pointer).toBe(pointer);
  });

  test("uses the only bridge that sends e-mail, and asks for one where there are none or several", async () => {
    const other = await hub.org();
    const order = (await other.post("/orders", { status: "ready", customer: { email: someone() } })).body;
    const actions = [{ type: "send_email", params: { subject: "Hi", text: "Hello" } }];
    const codeOf = async () => {
      const { body } = await other.post("/operations/preflight", { order_ids: [order.id], actions });
      return body.orders[0].steps[0].error?.code;
    };
    await other.post("/bridges", { name: "Shop", connector: "demo" });
    expect(await codeOf()).toBe("no_mail_bridge");
    const { data } = (await other.get("/operations/actions")).body;
    const listed = data.find(({ type }: { type: string }) => type === "send_email");
    expect(listed).toMatchObject({ available: false, effect: "external", reversible: false });
    const settings = { host: "localhost", port: server.port };
    await aMailBridge(settings, mailUser, other);
    expect(await codeOf()).toBeUndefined();
    await aMailBridge(settings, mailUser, other);
    expect(await codeOf()).toBe("mail_bridge_ambiguous");
    // A bridge of another organization does not exist here.
    const foreign = {
      order_ids: [order.id],
      actions: [{ type: "send_email", params: { ...actions[0]!.params, bridge_id } }],
    };
    expect((await other.post("/operations/run", foreign)).body.errors[0].code).toBe("bridge_not_found");
  });

  test("a caller without pii:read can write to customers and sees neither their data nor the mail", async () => {
    const email = someone();
    const order = await anOrder({ customer: { name: "Grace Hopper", email } });
    const client = await org.withScopes([
      "operations:run",
      "operations:read",
      "tasks:execute",
      "tasks:read",
      "orders:read",
    ]);
    const send = (text: string) =>
      client.post("/operations/run", {
        order_ids: [order.id],
        actions: [{ type: "send_email", params: { bridge_id, subject: "Hi", text } }],
      });
    expect((await send("Hello {{customer.name}}")).body.errors[0].code).toBe("pii_scope_required");
    const done = (await send("Order {{number}}")).body;
    await ended(executionOf(done));
    expect(mailsTo(email)).toHaveLength(1);
    const seen = (await client.get(`/tasks/executions/${executionOf(done)}`)).text;
    expect(seen).not.toContain(email);
    const weak = await org.withScopes(["operations:run", "orders:read"]);
    const actions = [{ type: "send_email", params: { bridge_id, subject: "Hi", text: "Hello" } }];
    expect((await weak.post("/operations/run", { order_ids: [order.id], actions })).status).toBe(403);
  });
});

describe("notify", () => {
  test("writes to the assignee or to named users, not to disabled ones", async () => {
    const { userId } = await org.withRole("operator");
    const { email } = (await org.get(`/users/${userId}`)).body;
    const order = await anOrder({ assigneeId: userId });
    const params = { subject: "{{number}}", text: "Look at {{number}}" };
    await ended(executionOf(await run([order.id], params, "notify")));
    await ended(executionOf(await run([order.id], { ...params, user_ids: [userId] }, "notify")));
    expect(mailsTo(email)).toHaveLength(2);
    await org.patch(`/users/${userId}`, { status: "disabled" });
    const refused = await run([order.id], params, "notify");
    expect(refused.results[0].steps[0].error.code).toBe("user_inactive");
    const unknown = await run([order.id], { ...params, user_ids: [order.id] }, "notify");
    expect(unknown.errors[0]).toMatchObject({ pointer: "/actions/0/params/user_ids/0", code: "user_not_found" });
  });
});

describe("a mail server that does not take the mail", () => {
  const send = async (email: string) =>
    executionOf(await run([(await anOrder({ customer: { email } })).id], { subject: "Hi", text: "Hello" }));
  const waiting = (id: string, attempt: number) =>
    eventually(
      () => read(id),
      ({ status, attempts }) => status === "queued" && attempts.length === attempt,
    );

  test.each(["MAIL", "RCPT", "DATA"] as const)("4xx after %s: the mail is sent later, once", async (at) => {
    const email = someone();
    server.inject({ kind: "code", at, code: 451, text: "4.7.1 try again later", times: 2 });
    const id = await send(email);
    const first = await waiting(id, 1);
    expect(first.attempts[0].error).toMatchObject({ code: "deferred", retryable: true });
    expect(Date.parse(first.nextAttemptAt) - Date.now()).toBeGreaterThan(4 * 60_000);
    await hurry(id);
    await waiting(id, 2);
    await hurry(id);
    await eventually(
      () => read(id),
      ({ attempt, status }) => attempt === 3 && status === "succeeded",
    );
    expect(mailsTo(email)).toHaveLength(1);
  });

  test.each(["MAIL", "RCPT", "DATA"] as const)("5xx after %s: it fails, and an exception shows it", async (at) => {
    const email = someone();
    server.inject({ kind: "code", at, code: 550, text: "5.1.1 no such mailbox", times: 1 });
    const execution = await ended(await send(email));
    expect(execution).toMatchObject({ status: "failed", attempt: 1, error: { code: "rejected", retryable: false } });
    expect(execution.error.message).toContain("550 5.1.1 no such mailbox");
    const { data } = (await org.get("/exceptions?kind=execution&limit=100")).body;
    expect(data.some((one: { executionId: string }) => one.executionId === execution.id)).toBe(true);
    expect(mailsTo(email)).toEqual([]);
  });

  test("a connection that is lost after the mail was sent has an unknown outcome, and the mail is not sent again", async () => {
    const email = someone();
    server.inject({ kind: "cut_after_data", times: 1 });
    const execution = await ended(await send(email));
    expect(execution).toMatchObject({ status: "failed", attempt: 1, error: { code: "outcome_unknown" } });
    expect(mailsTo(email)).toHaveLength(1);
  });

  test("a connection that is lost before the mail is tried again", async () => {
    const email = someone();
    server.inject({ kind: "cut_at_greeting", times: 1 });
    const id = await send(email);
    const first = await waiting(id, 1);
    expect(first.attempts[0].error).toMatchObject({ code: "connection_lost", retryable: true });
    await hurry(id);
    expect(await ended(id)).toMatchObject({ status: "succeeded", attempt: 2 });
    expect(mailsTo(email)).toHaveLength(1);
  });

  test("one refused recipient among several is reported, and the others get no second mail", async () => {
    const [good, bad] = [someone(), someone()];
    server.inject({ kind: "code", at: "RCPT", address: bad, code: 550, text: "5.1.1 unknown", times: 1 });
    const order = await anOrder();
    const execution = await ended(
      executionOf(await run([order.id], { to: [good, bad], subject: "Hi", text: "Hello" })),
    );
    expect(execution).toMatchObject({ status: "failed", attempt: 1, error: { code: "recipients_rejected" } });
    expect(mailsTo(good)).toMatchObject([{ to: [good] }]);
  });
});

describe("the connection", () => {
  const testOf = async (id: string) => (await org.post(`/bridges/${id}/test`)).body;

  test("is tested with the password, and a wrong one is named", async () => {
    expect(await testOf(bridge_id)).toMatchObject({ ok: true });
    const wrong = await aMailBridge({ host: "localhost", port: server.port }, { ...mailUser, password: "wrong" });
    expect(await testOf(wrong)).toMatchObject({ ok: false, error: { code: "unauthorized" } });
  });

  test("TLS from the first byte works, and a certificate for another name or an expired one is refused", async () => {
    const secure = await startMailServer({ secure: true });
    const expired = await startMailServer({ secure: true, key: undefined, cert: undefined });
    afterFile(() => Promise.all([secure.close(), expired.close()]));
    const settings = { host: "localhost", security: "tls", port: secure.port };
    expect(await testOf(await aMailBridge(settings))).toMatchObject({ ok: true });
    const wrong = await aMailBridge({ ...settings, port: expired.port });
    expect(await testOf(wrong)).toMatchObject({ ok: false, error: { code: "tls_failed" } });
    // The certificate names localhost and 127.0.0.1.
    const other = await aMailBridge({ ...settings, host: "127.0.0.2" });
    expect((await testOf(other)).ok).toBe(false);
  });

  test("a server without STARTTLS gets neither password nor mail", async () => {
    const plain = await startMailServer({ disabledCommands: ["STARTTLS"], allowInsecureAuth: true });
    afterFile(() => plain.close());
    const id = await aMailBridge({ host: "localhost", port: plain.port });
    expect(await testOf(id)).toMatchObject({ ok: false, error: { code: "tls_failed" } });
  });

  test("without encryption no password is accepted, and a server that needs none takes the mail", async () => {
    const open = await startMailServer({ authOptional: true, hideSTARTTLS: true });
    afterFile(() => open.close());
    const settings = { host: "localhost", port: open.port, security: "none", from: "orders@example.com" };
    const given = { name: "Plain", connector: "smtp", settings, credentials: mailUser };
    expect((await org.post("/bridges", given)).body.errors[0].code).toBe("tls_required");
    const id = await aMailBridge(settings, {});
    await ended(executionOf(await run([(await anOrder()).id], { bridge_id: id, subject: "Hi", text: "Hello" })));
    expect(open.received).toMatchObject([{ isEncrypted: false }]);
    // Stored credentials do not follow to another server.
    const moved = await org.patch(`/bridges/${bridge_id}`, { settings: { host: "mail.example.net" } });
    expect([moved.status, moved.body.code]).toEqual([409, "credentials_required"]);
  });

  test.each([
    [{}, "/settings/host", "required"],
    [{ host: "smtp.example.com" }, "/settings/from", "required"],
    [{ host: "169.254.169.254", from: "a@example.com" }, "/settings/host", "address_not_allowed"],
    [{ host: "smtp.example.com/x", from: "a@example.com" }, "/settings/host", "pattern"],
  ])("settings %j are refused at %s", async (settings, pointer, code) => {
    const { status, body } = await org.post("/bridges", { name: "Wrong", connector: "smtp", settings });
    expect([status, body.errors[0].pointer]).toEqual([400, pointer]);
    if (code !== "pattern") expect(body.errors[0].code).toBe(code);
  });

  test("hosts that the organization may not call are not called", async () => {
    const limited = await hub.org();
    await limited.patch(`/organizations/${limited.id}`, { outboundHosts: ["erp.example"] });
    const id = await aMailBridge({ host: "localhost", port: server.port }, mailUser, limited);
    const { body } = await limited.post(`/bridges/${id}/test`);
    expect(body).toMatchObject({ ok: false, error: { code: "host_not_allowed" } });
  });
});

describe("the mail server of the hub", () => {
  const mailServer = () => ({
    host: "127.0.0.1",
    port: server.port,
    security: "starttls" as const,
    login: mailUser,
    from: "hub@example.com",
  });

  test("serves bridges without one of their own, always with its own sender", async () => {
    hub.world.settings.outbound.mailServer = mailServer();
    const made = await org.post("/bridges", {
      name: "Through the hub",
      connector: "smtp",
      settings: { fromName: "Mugs" },
    });
    expect(made.status).toBe(201);
    const spoofed = { name: "Spoofed", connector: "smtp", settings: { from: "boss@example.net" } };
    expect((await org.post("/bridges", spoofed)).body.errors[0].pointer).toBe("/settings/from");
    const email = someone();
    const order = await anOrder({ customer: { email } });
    await ended(executionOf(await run([order.id], { bridge_id: made.body.id, subject: "Hi", text: "Hello" })));
    expect(mailsTo(email)).toMatchObject([{ from: "hub@example.com" }]);
    delete hub.world.settings.outbound.mailServer;
    const gone = await run([order.id], { bridge_id: made.body.id, subject: "Hi", text: "Hello" });
    expect(await ended(executionOf(gone))).toMatchObject({ status: "failed", error: { code: "no_mail_server" } });
  });

  test("in the preview no mail leaves, also where other calls are allowed: the execution shows it", async () => {
    const outbound = { allowPrivate: true, allowFromPreview: true, mailServer: mailServer() };
    const preview = await startTestHub({ environment: "preview", settings: { outbound } });
    const there = await preview.org();
    const settings = { host: "localhost", port: server.port };
    const own = await aMailBridge(settings, mailUser, there);
    const email = someone();
    const order = (await there.post("/orders", { status: "ready", customer: { email } })).body;
    const done = await run(
      [order.id],
      { bridge_id: own, subject: "About {{number}}", text: "Hello" },
      "send_email",
      there,
    );
    const shown = await eventually(
      async () => (await there.get(`/tasks/executions/${executionOf(done)}`)).body,
      ({ finishedAt }) => finishedAt !== null,
    );
    expect(shown).toMatchObject({
      status: "succeeded",
      input: { to: [email], subject: `About ${order.number}`, text: "Hello" },
      result: { sent: false, reason: "preview" },
    });
    expect(mailsTo(email)).toEqual([]);
    preview.world.settings.outbound.allowFromPreview = false;
    const again = await run([order.id], { bridge_id: own, subject: "Hi", text: "Hello" }, "send_email", there);
    expect(again.results[0].steps[0].status).toBe("applied");
  });
});
