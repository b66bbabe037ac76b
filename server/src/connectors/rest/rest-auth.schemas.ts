import { Type } from "../../core/type.ts";
import { OneOf, Strict } from "../../core/schema.ts";
import { webhookSecret } from "../inbound-webhook.ts";

const authKinds = ["none", "bearer", "basic", "header", "query", "oauth2", "oauth1"] as const;

/** How requests authenticate; the secrets are in the credentials. */
export const Auth = Strict(
  {
    kind: OneOf(authKinds, {
      title: "Kind",
      description:
        "bearer, header and query send the token, basic the user name and password. oauth2 requests access tokens with " +
        "client ID and secret, a refresh token or a signed assertion, and renews them before they expire. oauth1 signs each " +
        "request (OAuth 1.0a) with the consumer and token secrets",
    }),
    paramName: Type.Optional(
      Type.String({
        title: "Parameter name",
        pattern: "^[A-Za-z0-9_-]{1,100}$",
        description:
          "Name of the header or query parameter; default: X-Api-Key or api_key. For oauth2: the header that carries the access " +
          "token without a prefix; default: Authorization with the prefix Bearer",
      }),
    ),
    prefix: Type.Optional(
      Type.String({
        title: "Prefix",
        "x-advanced": true,
        pattern: "^[!-~]{1,50}$",
        description: "For header and oauth2: a word before the token, separated by a space",
        examples: ["Zoho-oauthtoken"],
      }),
    ),
    tokenUrl: Type.Optional(
      Type.String({
        title: "Token URL",
        format: "uri",
        maxLength: 500,
        description: "For oauth2: the token endpoint; the credentials are sent only there",
        examples: ["https://login.example.com/oauth2/token"],
      }),
    ),
    grantType: Type.Optional(
      OneOf(["client_credentials", "refresh_token"], {
        title: "Grant type",
        default: "client_credentials",
        description: "For oauth2",
      }),
    ),
    scope: Type.Optional(
      Type.String({
        title: "Scope",
        maxLength: 1000,
        description: "For oauth2: requested scopes, separated by spaces",
        examples: ["orders.read shipments.write"],
      }),
    ),
    audience: Type.Optional(
      Type.String({
        title: "Audience",
        "x-advanced": true,
        maxLength: 500,
        description: "For oauth2: sent with the token request if the provider requires it",
      }),
    ),
    clientAuth: Type.Optional(
      OneOf(["client_secret_basic", "client_secret_post", "private_key_jwt"], {
        title: "Client authentication",
        "x-advanced": true,
        default: "client_secret_basic",
        description:
          "For oauth2: client ID and secret in the Authorization header, or in the body, or an assertion signed with the " +
          "private key (RFC 7523)",
      }),
    ),
    assertionAlgorithm: Type.Optional(
      OneOf(["RS256", "PS256", "ES256"], {
        title: "Assertion algorithm",
        "x-advanced": true,
        default: "RS256",
        description: "For private_key_jwt",
      }),
    ),
    keyId: Type.Optional(
      Type.String({
        title: "Key ID",
        "x-advanced": true,
        pattern: "^[ -~]{1,200}$",
        description: "For private_key_jwt: the ID of the key or certificate at the provider, sent as kid",
      }),
    ),
    signatureMethod: Type.Optional(
      OneOf(["HMAC-SHA256", "HMAC-SHA1"], {
        title: "Signature method",
        "x-advanced": true,
        default: "HMAC-SHA256",
        description: "For oauth1",
      }),
    ),
    realm: Type.Optional(
      Type.String({
        title: "Realm",
        "x-advanced": true,
        pattern: "^[ !#-\\[\\]-~]{1,200}$",
        description: "For oauth1: the realm of the Authorization header, such as a NetSuite account ID",
        examples: ["1234567_SB1"],
      }),
    ),
  },
  { title: "Authentication" },
);

/** Write-only: sealed when stored, never answered. */
export const RestCredentials = Strict(
  {
    token: Type.Optional(
      Type.String({
        title: "Token",
        "x-widget": "password",
        maxLength: 4000,
        description: "For bearer, header and query; the access token for oauth1",
        examples: ["abc..."],
      }),
    ),
    username: Type.Optional(Type.String({ title: "User name", maxLength: 200, description: "For basic" })),
    password: Type.Optional(
      Type.String({ title: "Password", "x-widget": "password", maxLength: 1000, description: "For basic" }),
    ),
    clientId: Type.Optional(Type.String({ title: "Client ID", maxLength: 500, description: "For oauth2" })),
    clientSecret: Type.Optional(
      Type.String({ title: "Client secret", "x-widget": "password", maxLength: 2000, description: "For oauth2" }),
    ),
    refreshToken: Type.Optional(
      Type.String({
        title: "Refresh token",
        "x-widget": "password",
        maxLength: 8000,
        description: "For oauth2 with refresh_token: the initial one; the hub stores its replacements",
      }),
    ),
    privateKey: Type.Optional(
      Type.String({
        title: "Private key",
        "x-widget": "password",
        maxLength: 10_000,
        description: "For private_key_jwt: PEM, not encrypted",
        examples: ["-----BEGIN PRIVATE KEY----- ..."],
      }),
    ),
    consumerKey: Type.Optional(Type.String({ title: "Consumer key", maxLength: 500, description: "For oauth1" })),
    consumerSecret: Type.Optional(
      Type.String({ title: "Consumer secret", "x-widget": "password", maxLength: 500, description: "For oauth1" }),
    ),
    tokenSecret: Type.Optional(
      Type.String({ title: "Token secret", "x-widget": "password", maxLength: 500, description: "For oauth1" }),
    ),
    headers: Type.Optional({
      ...Type.Record(
        Type.String({ pattern: "^[A-Za-z0-9-]{1,64}$" }),
        Type.String({ minLength: 1, maxLength: 4000, pattern: "^[ -~]+$" }),
      ),
      title: "Secret headers",
      "x-widget": "password",
      description: "Names and values sent with every request in addition to auth, such as x-api-key. Stored encrypted",
      examples: [{ "x-api-key": "abc..." }],
    }),
    webhookSecret: webhookSecret("Secret that the other side signs its webhooks with"),
  },
  { examples: [{ token: "abc..." }, { clientId: "hub", clientSecret: "abc..." }] },
);
