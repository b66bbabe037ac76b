import { Type } from "../../core/type.ts";
import { OneOf, Strict } from "../../core/schema.ts";
import { webhookSecret } from "../notice.ts";

const authKinds = ["none", "bearer", "basic", "header", "query", "oauth2"] as const;

/** How requests are signed in, without the secrets for it. */
export const Auth = Strict(
  {
    kind: OneOf(authKinds, {
      title: "Kind",
      description:
        "bearer and header and query send the token, basic user name and password. oauth2 asks for access tokens that " +
        "end, with client id and secret or a refresh token, and renews them",
    }),
    name: Type.Optional(
      Type.String({
        title: "Name",
        pattern: "^[A-Za-z0-9_-]{1,100}$",
        description:
          "Of the header or query parameter; default: X-Api-Key or api_key. For oauth2: of the header that the access token goes " +
          "in, alone; default: Authorization, with Bearer before the token",
      }),
    ),
    prefix: Type.Optional(
      Type.String({
        title: "Prefix",
        "x-advanced": true,
        pattern: "^[!-~]{1,50}$",
        description: "For header and oauth2: a word before the token, with a blank between",
        examples: ["Zoho-oauthtoken"],
      }),
    ),
    tokenUrl: Type.Optional(
      Type.String({
        title: "Token address",
        format: "uri",
        maxLength: 500,
        description: "For oauth2: where access tokens are asked for; the credentials go there and nowhere else",
        examples: ["https://login.example.com/oauth2/token"],
      }),
    ),
    grant: Type.Optional(
      OneOf(["client_credentials", "refresh_token"], {
        title: "Grant",
        default: "client_credentials",
        description: "For oauth2: what a token is given for",
      }),
    ),
    scope: Type.Optional(
      Type.String({
        title: "Scope",
        maxLength: 1000,
        description: "For oauth2: what the token should permit, with spaces between",
        examples: ["orders.read shipments.write"],
      }),
    ),
    audience: Type.Optional(
      Type.String({
        title: "Audience",
        "x-advanced": true,
        maxLength: 500,
        description: "For oauth2: sent along where the other side asks for it",
      }),
    ),
    clientAuth: Type.Optional(
      OneOf(["basic", "body"], {
        title: "Client is named in",
        "x-advanced": true,
        default: "basic",
        description: "For oauth2: client id and secret go as the header Authorization or in the body",
      }),
    ),
  },
  { title: "Signing in" },
);

/** Write-only: sealed when stored, never answered. */
export const RestCredentials = Strict(
  {
    token: Type.Optional(
      Type.String({
        title: "Token",
        "x-widget": "password",
        maxLength: 4000,
        description: "For bearer, header and query",
        examples: ["abc..."],
      }),
    ),
    username: Type.Optional(Type.String({ title: "User name", maxLength: 200, description: "For basic" })),
    password: Type.Optional(
      Type.String({ title: "Password", "x-widget": "password", maxLength: 1000, description: "For basic" }),
    ),
    clientId: Type.Optional(Type.String({ title: "Client id", maxLength: 500, description: "For oauth2" })),
    clientSecret: Type.Optional(
      Type.String({ title: "Client secret", "x-widget": "password", maxLength: 2000, description: "For oauth2" }),
    ),
    refreshToken: Type.Optional(
      Type.String({
        title: "Refresh token",
        "x-widget": "password",
        maxLength: 8000,
        description: "For oauth2 with refresh_token: the first one; those that replace it are kept by the hub",
      }),
    ),
    headers: Type.Optional({
      ...Type.Record(
        Type.String({ pattern: "^[A-Za-z0-9-]{1,64}$" }),
        Type.String({ minLength: 1, maxLength: 4000, pattern: "^[ -~]+$" }),
      ),
      title: "Secret headers",
      "x-widget": "password",
      description:
        "Names and values, sent with every request beside what auth.kind sends, such as x-api-key. Stored sealed",
      examples: [{ "x-api-key": "abc..." }],
    }),
    webhookSecret: webhookSecret("What webhooks from there are signed with"),
  },
  { examples: [{ token: "abc..." }, { clientId: "hub", clientSecret: "abc..." }] },
);
