import type { CarrierReply, CarrierRequest } from "../carriers/stand-in-api.ts";

type Client = { id: string; secret?: string; refreshToken: string; auth: "basic" | "body"; rotates?: boolean };

/** The token endpoint of a marketplace: access tokens for a refresh token, which some exchange for a new one each time. */
export function createRefreshEndpoint({ id, secret, refreshToken: first, auth, rotates = false }: Client) {
  let valid = new Set<string>();
  let refreshToken = first;
  let issued = 0;
  return {
    accepts: (token: string | undefined): boolean => token !== undefined && valid.has(token),
    /** No token that was issued so far is valid any more. */
    expireAll: () => void (valid = new Set()),
    issuedTokens: () => issued,
    answer(request: CarrierRequest): CarrierReply {
      const form = new URLSearchParams(request.body.toString("utf8"));
      const basic = /^Basic (.+)$/.exec(request.headers.authorization ?? "")?.[1];
      const given =
        auth === "basic"
          ? Buffer.from(basic ?? "", "base64")
              .toString()
              .split(":")
              .map(decodeURIComponent)
          : [form.get("client_id"), form.get("client_secret")];
      if (given[0] !== id || (secret !== undefined && given[1] !== secret)) {
        return { status: 401, body: { error: "invalid_client", error_description: "client authentication failed" } };
      }
      if (form.get("grant_type") !== "refresh_token" || form.get("refresh_token") !== refreshToken) {
        const text = "the provided authorization refresh token is invalid or was issued to another client";
        return { status: 400, body: { error: "invalid_grant", error_description: text } };
      }
      const token = `access-${++issued}`;
      valid.add(token);
      if (rotates) refreshToken = `${first}-${issued}`;
      const next = rotates ? { refresh_token: refreshToken } : {};
      return { status: 200, body: { access_token: token, token_type: "Bearer", expires_in: 3600, ...next } };
    },
  };
}
