import type { Reply, ShopRequest } from "./stand-in-exchange.ts";

export type TokenEndpoint = {
  /** The grants that were asked for, in order. */
  asked: string[];
  lifetimeSeconds: number;
  /** The first refresh token; each is good once. */
  firstRefreshToken: string;
  accepts(token: unknown): boolean;
  /** None of those that were given so far counts any more. */
  end(): void;
  answer(request: ShopRequest): Reply;
};

/** Gives access tokens as RFC 6749 and Shopify's client credentials grant describe it, to the client `client` with this secret. */
export function createTokenEndpoint(secret: string): TokenEndpoint {
  let given = 0;
  let valid = new Set<string>();
  let refreshToken = "refresh-0";
  const endpoint: TokenEndpoint = {
    asked: [],
    lifetimeSeconds: 86_399,
    firstRefreshToken: refreshToken,
    accepts: (token) => typeof token === "string" && (token === secret || valid.has(token)),
    end: () => void (valid = new Set()),
    answer({ method, headers, body }) {
      if (method !== "POST") return { status: 405, body: { error: "invalid_request" } };
      const form = new URLSearchParams(body);
      const basic = /^Basic (.*)$/.exec(headers.authorization ?? "")?.[1];
      const [id, password] = basic
        ? Buffer.from(basic, "base64").toString().split(":").map(decodeURIComponent)
        : [form.get("client_id"), form.get("client_secret")];
      const grant = form.get("grant_type") ?? "";
      endpoint.asked.push(grant);
      if (id !== "client" || password !== secret) {
        const said = `No client ${id} with the secret ${password}`;
        return { status: 401, body: { error: "invalid_client", error_description: said } };
      }
      if (grant === "refresh_token" && form.get("refresh_token") !== refreshToken) {
        return {
          status: 400,
          body: { error: "invalid_grant", error_description: "The refresh token was used before." },
        };
      }
      if (grant === "refresh_token") refreshToken = `refresh-${given + 1}`;
      else if (grant !== "client_credentials") return { status: 400, body: { error: "unsupported_grant_type" } };
      const token = `given-${++given}-${secret}`;
      valid.add(token);
      const about = { token_type: "Bearer", expires_in: endpoint.lifetimeSeconds, scope: form.get("scope") ?? "all" };
      const next = grant === "refresh_token" ? { refresh_token: refreshToken } : {};
      return { status: 200, body: { access_token: token, ...about, ...next } };
    },
  };
  return endpoint;
}
