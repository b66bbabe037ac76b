import { expect, test } from "vitest";
import { afterFile } from "./after-file.ts";
import { startStandInShop } from "./stand-in-shop.ts";
import { startTestHub } from "./test-hub.ts";

test("neither the database nor the log holds a secret in a form that can be used", async () => {
  const hub = await startTestHub();
  const org = await hub.org();
  const secrets = [org.token!, org.admin.password];
  const idempotent = { headers: { "idempotency-key": "k-1" } };

  const { body: key } = await org.post("/api-keys", { name: "secret" }, idempotent);
  const { body: rotated } = await org.post(`/api-keys/${key.id}/rotate`, {}, { headers: { "idempotency-key": "k-2" } });
  const { body: signedIn } = await hub.anonymous.post("/auth/token", org.admin, idempotent);
  const { body: refreshed } = await hub.anonymous.post(
    "/auth/refresh",
    { refreshToken: signedIn.refreshToken },
    idempotent,
  );
  const hook = { url: "http://127.0.0.1:9/", types: ["order.*"], headers: { authorization: "Bearer of-the-receiver" } };
  const { body: webhook } = await org.post("/webhooks", hook, { headers: { "idempotency-key": "k-3" } });
  const { body: renewed } = await org.post(`/webhooks/${webhook.id}/rotate-secret`, {});
  await org.post(`/webhooks/${webhook.id}/test`);
  secrets.push(
    "of-the-receiver",
    webhook.secret,
    webhook.secret.replace("whsec_", ""),
    renewed.secret.replace("whsec_", ""),
    key.key,
    rotated.key,
    signedIn.accessToken,
    signedIn.refreshToken,
    refreshed.accessToken,
    refreshed.refreshToken,
  );
  const shop = await startStandInShop({ orders: 1, token: "the-secret-of-the-client" });
  afterFile(shop.close);
  const auth = { kind: "oauth2", tokenUrl: `${shop.url}/oauth/token` };
  const settings = { baseUrl: `${shop.url}/rest`, testPath: "/ping", auth };
  for (const [index, clientSecret] of [shop.token, "a-secret-that-is-refused"].entries()) {
    const credentials = { clientId: "client", clientSecret };
    const { body } = await org.post("/bridges", { name: `Shop ${index}`, connector: "rest", settings, credentials });
    await org.post(`/bridges/${body.id}/test`);
    secrets.push(clientSecret);
  }
  expect(shop.tokens.asked).toHaveLength(2);
  const newPassword = "this is quite a new password";
  await hub.client(refreshed.accessToken).post("/me/password", { currentPassword: org.admin.password, newPassword });
  await org.post("/users", { email: "x@org.example", role: "viewer", password: "the password of x" });
  secrets.push(newPassword, "the password of x");
  // Secrets leak into logs mostly through errors.
  await hub.anonymous.post("/auth/token", { email: "x@org.example", password: "the password of x", extra: 1 });
  await hub.anonymous.post("/auth/token", undefined, { rawBody: '{"password":"the password of x",' });
  await hub.client(`${key.key}x`).get("/me");
  await hub.anonymous.get(`!/api/v1/nonsense?token=${key.key}`);

  const tables = await hub.world.db.query<{ name: string }>(
    "select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public'",
  );
  let dump = "";
  for (const { name } of tables) dump += JSON.stringify(await hub.world.db.query(`select t::text from ${name} t`));
  expect(dump).toContain(org.id);
  const log = hub.logs.join("");
  expect(log).toContain("/api/v1/api-keys");
  for (const secret of secrets) {
    for (const form of [
      secret,
      Buffer.from(secret).toString("base64"),
      Buffer.from(secret).toString("hex"),
      encodeURIComponent(secret),
    ]) {
      expect(dump.includes(form), "in the database").toBe(false);
      expect(log.includes(form), "in the log").toBe(false);
    }
  }
});
