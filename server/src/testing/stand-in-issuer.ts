import { createHash, randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterFile } from "./after-file.ts";

type Claims = Record<string, unknown>;
type Client = { id: string; secret: string };
/** `expires` null: without expiry. */
type Signing = { kid?: string; audience?: string | string[]; expires?: string | null; issuer?: string; typ?: string };

/** Faults and attacks, for the next sign-in only. */
type Faults = {
  /** Overrides claims of the ID token. */
  claims?: Claims;
  signing?: Signing;
  /** Query parameters of the redirect; empty ones are omitted. */
  answer?: Record<string, string>;
  /** The email address comes from the UserInfo endpoint instead of the ID token, optionally with other claims. */
  userInfo?: Claims;
};

export type StandInIssuer = {
  url: string;
  /** User of the browser; `auth_time` is the time of their sign-in at the issuer. */
  person: Claims & { sub: string };
  faults: Faults;
  calls: { keys: number; token: number };
  sign(claims: Claims, signing?: Signing): Promise<string>;
};

type Grant = { challenge: string; redirectUri: string; nonce: string; claims: Claims; faults: Faults };

/**
 * An identity provider by OpenID Connect Core 1.0 (authorization code flow), Discovery 1.0, RFC 7636 and RFC 9207. Its other tenants
 * are broken or special: `silent` does not respond, `keyless` has no keys, `impostor` has another issuer name, `misled` has a token
 * endpoint that is not https, `posted` accepts the client secret only in the body.
 */
export async function startStandInIssuer(client: Client): Promise<StandInIssuer> {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const jwk = { ...(await exportJWK(publicKey)), kid: "k1", alg: "ES256" };
  const grants = new Map<string, Grant>();
  const told = new Map<string, Claims>();

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = new URL(request.url!, issuer.url);
    const [tenant = "", path = ""] =
      /^\/(silent|keyless|impostor|misled|posted)?\/?(.*)$/.exec(asked.pathname)?.slice(1) ?? [];
    const base = tenant === "" ? issuer.url : `${issuer.url}/${tenant}`;
    const json = (status: number, body: object): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
    if (tenant === "silent" || (tenant === "keyless" && path === "keys")) return json(503, {});
    if (path === ".well-known/openid-configuration") return json(200, describe(base, tenant));
    if (path === "keys") {
      issuer.calls.keys++;
      return json(200, { keys: [jwk] });
    }
    if (path === "authorize") return authorize(asked.searchParams, response);
    if (path === "token") {
      issuer.calls.token++;
      const { status, body } = await redeem(request, base, tenant);
      return json(status, body);
    }
    if (path === "userinfo") {
      const known = told.get(request.headers.authorization?.replace(/^Bearer /, "") ?? "");
      return json(known ? 200 : 401, known ?? { error: "invalid_token" });
    }
    json(404, {});
  }

  function authorize(params: URLSearchParams, response: ServerResponse): void {
    const get = (name: string): string => params.get(name) ?? "";
    const isAllowed = get("client_id") === client.id && get("redirect_uri").endsWith("/sign-in/callback");
    // No redirect, since the redirect URI is not trusted.
    if (!isAllowed) return void response.writeHead(400).end("Unknown client or redirect_uri");
    const faults = issuer.faults;
    issuer.faults = {};
    const code = randomBytes(16).toString("base64url");
    const isAnew = get("prompt") === "login";
    const claims = { ...issuer.person, ...(isAnew ? { auth_time: Math.floor(Date.now() / 1000) } : {}) };
    const problem =
      get("response_type") !== "code" || !get("scope").split(" ").includes("openid")
        ? "invalid_request"
        : get("code_challenge_method") !== "S256" || get("code_challenge").length !== 43
          ? "invalid_request"
          : undefined;
    grants.set(code, {
      challenge: get("code_challenge"),
      redirectUri: get("redirect_uri"),
      nonce: get("nonce"),
      claims,
      faults,
    });
    const back = new URL(get("redirect_uri"));
    const answer = { ...(problem ? { error: problem } : { code }), state: get("state"), iss: issuer.url };
    for (const [name, value] of Object.entries({ ...answer, ...faults.answer })) {
      if (value !== "") back.searchParams.set(name, value);
    }
    response.writeHead(302, { location: back.href }).end();
  }

  async function redeem(request: IncomingMessage, base: string, tenant: string) {
    const form = new URLSearchParams((await request.toArray()).join(""));
    const basic = Buffer.from(request.headers.authorization?.replace(/^Basic /, "") ?? "", "base64").toString();
    const posted = `${form.get("client_id")}:${form.get("client_secret")}`;
    const shown = tenant === "posted" ? posted : basic.split(":").map(decodeURIComponent).join(":");
    if (shown !== `${client.id}:${client.secret}`) return { status: 401, body: { error: "invalid_client" } };
    const grant = grants.get(form.get("code") ?? "");
    grants.delete(form.get("code") ?? "");
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    const isGood = grant?.challenge === challenge && grant.redirectUri === form.get("redirect_uri");
    if (!isGood) return { status: 400, body: { error: "invalid_grant", error_description: "Unknown or used code" } };
    const { claims, faults, nonce } = grant;
    const { email: _email, email_verified: _isVerified, ...thin } = claims;
    const signed = { ...(faults.userInfo ? thin : claims), nonce, ...faults.claims };
    const accessToken = randomBytes(16).toString("base64url");
    told.set(accessToken, { ...claims, ...faults.userInfo });
    const signing = { audience: client.id, issuer: base, ...faults.signing };
    const body = { token_type: "Bearer", access_token: accessToken, id_token: await issuer.sign(signed, signing) };
    return { status: 200, body };
  }

  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  afterFile(() => server.close());
  const issuer: StandInIssuer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    person: { sub: "nobody" },
    faults: {},
    calls: { keys: 0, token: 0 },
    async sign(claims, { kid = "k1", audience = "hub", expires = "5m", typ, ...signing } = {}) {
      const jwt = new SignJWT({ iat: Math.floor(Date.now() / 1000), ...claims })
        .setProtectedHeader({ alg: "ES256", kid, ...(typ && { typ }) })
        .setIssuer(signing.issuer ?? issuer.url)
        .setAudience(audience);
      return await (expires === null ? jwt : jwt.setExpirationTime(expires)).sign(privateKey);
    },
  };
  return issuer;
}

function describe(base: string, tenant: string): Claims {
  return {
    issuer: tenant === "impostor" ? "http://127.0.0.1:1" : base,
    authorization_endpoint: `${base}/authorize`,
    token_endpoint: tenant === "misled" ? "ftp://127.0.0.1/token" : `${base}/token`,
    userinfo_endpoint: `${base}/userinfo`,
    jwks_uri: `${base}/keys`,
    response_types_supported: ["code"],
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["ES256"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: [tenant === "posted" ? "client_secret_post" : "client_secret_basic"],
    authorization_response_iss_parameter_supported: tenant !== "posted",
  };
}
