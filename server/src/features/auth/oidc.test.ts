import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterAll, expect, test } from "vitest";
import { startTestHub } from "../../testing/test-hub.ts";

const { privateKey, publicKey } = await generateKeyPair("ES256");
let jwksCalls = 0;

/** A stand-in for an identity provider: the two documents that a relying party reads. Two more of its tenants are broken. */
const provider = createServer((request, response) => {
  response.setHeader("content-type", "application/json");
  if (request.url === "/keyless/.well-known/openid-configuration")
    response.end(JSON.stringify({ issuer: `${issuer}/keyless`, jwks_uri: `${issuer}/keyless/keys` }));
  else if (request.url!.startsWith("/silent/") || request.url!.startsWith("/keyless/")) response.writeHead(503).end();
  else if (request.url === "/.well-known/openid-configuration")
    response.end(JSON.stringify({ issuer, jwks_uri: `${issuer}/keys` }));
  else if (request.url === "/keys") {
    jwksCalls++;
    void exportJWK(publicKey).then((jwk) =>
      response.end(JSON.stringify({ keys: [{ ...jwk, kid: "k1", alg: "ES256" }] })),
    );
  } else response.writeHead(404).end();
});
await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
afterAll(() => provider.close());
const issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;

const hub = await startTestHub({ settings: { oidc: { issuer, audience: "hub" } } });
const org = await hub.org();
await hub.operator.patch(`/organizations/${org.id}`, { emailDomains: ["org.example"] });
const { body: person } = await org.post("/users", { email: "sso@org.example", role: "operator" });

async function token(
  claims: Record<string, unknown>,
  options: { kid?: string; audience?: string; expires?: string; issuer?: string; typ?: string } = {},
) {
  return await new SignJWT(claims)
    .setProtectedHeader({ alg: "ES256", kid: options.kid ?? "k1", ...(options.typ && { typ: options.typ }) })
    .setIssuer(options.issuer ?? issuer)
    .setAudience(options.audience ?? "hub")
    .setExpirationTime(options.expires ?? "5m")
    .sign(privateKey);
}

test("a token of the issuer signs in the person with that verified address, and later by subject alone", async () => {
  const first = await hub
    .client(await token({ sub: "s-1", email: "SSO@org.example", email_verified: true }))
    .get("/me");
  expect(first.body).toMatchObject({ actor: { id: person.id }, organization: { id: org.id }, role: "operator" });
  expect((await hub.client(await token({ sub: "s-1" })).get("/me")).status).toBe(200);
});

test("the first sign-in of somebody through the issuer is in the audit log (security 18)", async () => {
  const { data } = (await org.get(`/audit?type=user.oidc_bound&objectId=${person.id}`)).body;
  expect(data).toMatchObject([{ actor: { type: "user", id: person.id }, data: { email: "sso@org.example" } }]);
});

test("an organization does not catch the sign-ins of people of another one by making their accounts (security 16)", async () => {
  const [squatter, owner] = [await hub.org(), await hub.org()];
  const email = "victim@owner.example";
  await squatter.post("/users", { email, role: "viewer" });
  const client = hub.client(await token({ sub: "victim", email, email_verified: true }));
  expect((await client.get("/me")).status).toBe(401);
  const { body: wanted } = await owner.post("/users", { email, role: "operator" });
  expect((await client.get("/me")).status).toBe(401);
  const path = `/organizations/${owner.id}`;
  expect((await owner.patch(path, { emailDomains: ["owner.example"] })).body.code).toBe("insufficient_scope");
  expect((await hub.operator.patch(path, { emailDomains: ["owner.example"] })).body.emailDomains).toEqual([
    "owner.example",
  ]);
  expect((await client.get("/me")).body.actor.id).toBe(wanted.id);
  const taken = await hub.operator.patch(`/organizations/${squatter.id}`, { emailDomains: ["owner.example"] });
  expect(taken.body).toMatchObject({ status: 409, code: "name_taken" });
});

test("people of the organization that runs the hub need no domain", async () => {
  const { body: colleague } = await hub.operator.post("/users", { email: "colleague@any.example", role: "viewer" });
  const claims = { sub: "colleague", email: "colleague@any.example", email_verified: true };
  expect((await hub.client(await token(claims)).get("/me")).body.actor.id).toBe(colleague.id);
});

test("an address that is not verified, or belongs to nobody, signs in nobody", async () => {
  for (const claims of [
    { sub: "s-2", email: org.admin.email },
    { sub: "s-3", email: org.admin.email, email_verified: false },
    { sub: "s-4", email: "nobody@org.example", email_verified: true },
    { sub: "s-5", email: "sso@org.example", email_verified: true },
  ]) {
    expect((await hub.client(await token(claims)).get("/me")).body.code).toBe("invalid_token");
  }
});

test("a subject that is no text, a moment of the future and tokens for other uses are refused (protocol 11)", async () => {
  const now = Math.floor(Date.now() / 1000);
  const code = async (claims: object, typ?: string) =>
    (await hub.client(await token({ sub: "s-1", ...claims }, typ === undefined ? {} : { typ })).get("/me")).body.code;
  for (const sub of ["s\0-1", "\0"]) expect(await code({ sub })).toBe("invalid_token");
  expect(await code({ iat: now + 3_600 })).toBe("invalid_token");
  expect(await code({ iat: now + 20 })).toBeUndefined();
  for (const typ of ["logout+jwt", "dpop+jwt", "secevent+jwt"]) expect(await code({}, typ)).toBe("invalid_token");
  for (const typ of ["JWT", "at+jwt", "application/at+jwt"]) expect(await code({}, typ)).toBeUndefined();
});

test("another audience, an expired token and an unknown key are refused, and do not flood the issuer", async () => {
  expect((await hub.client(await token({ sub: "s-1" }, { audience: "other" })).get("/me")).status).toBe(401);
  expect((await hub.client(await token({ sub: "s-1" }, { expires: "-1m" })).get("/me")).body.code).toBe(
    "expired_token",
  );
  const before = jwksCalls;
  for (let i = 0; i < 20; i++) {
    expect((await hub.client(await token({ sub: "s-1" }, { kid: `unknown-${i}` })).get("/me")).status).toBe(401);
  }
  expect(jwksCalls - before).toBeLessThanOrEqual(1);
});

test.each(["silent", "keyless"])(
  "an issuer that does not answer (%s) is no reason to throw a token away: 503",
  async (tenant) => {
    const broken = `${issuer}/${tenant}`;
    const other = await startTestHub({ settings: { oidc: { issuer: broken, audience: "hub" } } });
    for (let i = 0; i < 2; i++) {
      const answer = await other.client(await token({ sub: "s-1" }, { issuer: broken })).get("/me");
      expect(answer).toMatchObject({ status: 503, body: { code: "issuer_unavailable", retryable: true } });
    }
  },
);
