import type { ErrorCode } from "../../core/errors.ts";
import type { Advice } from "./advice.ts";
import { reason } from "./advice.ts";

const retry = "Repeat the request after the time in `Retry-After`, a `POST` with the same `Idempotency-Key`.";

/** Codes of all other statuses, except those of missing records, which share one text. */
export const requestAdvice: Partial<Record<ErrorCode, Advice>> = {
  malformed_json: reason(
    "The body cannot be parsed as JSON: a trailing comma, single quotes, a cut-off body, or a key given twice.",
    "Send strict JSON in UTF-8. `detail` names the position.",
  ),
  malformed_request: reason(
    "The bytes received are not a valid HTTP/1.1 request.",
    "Use an HTTP library, and check proxies that rewrite requests.",
  ),
  validation_failed: reason(
    "Fields of the body or query break a rule, are missing, or are unknown.",
    "Each entry of `errors` has the `pointer` of the field, the rule, the `allowed` values and often a `suggestion`. Correct all of them at once.",
  ),
  no_failed_orders: reason(
    "All orders of the run succeeded, or none still fails with the codes that the retry names.",
    "Read the run: `results` has the error of each order.",
  ),
  nothing_to_undo: reason(
    "The run changed nothing, its changes were undone already, or all of them are by actions that cannot be undone.",
    "`POST /operations/runs/{id}/undo/preflight` says for each order what can be undone and why not.",
  ),
  empty_selection: reason(
    "The filter matches no order at this moment.",
    "Try the same filter with `GET /orders`, and remove conditions one by one.",
  ),
  too_many_orders: reason(
    "More orders than one request may have: 10,000 by `order_ids`, 1,000 for actions that compare orders, 100,000 by filter unless configured otherwise.",
    "Narrow the filter, or split the work. `matched` says how many there are.",
  ),
  nothing_to_resend: reason(
    "No delivery of the webhook matches the time range and types.",
    "List them with `GET /webhooks/{id}/deliveries`; deliveries are kept for 30 days.",
  ),
  nothing_to_print: reason(
    "None of the given orders, shipments or runs has a document of this kind.",
    "Buy labels first, or choose another kind of document.",
  ),
  too_many_labels: reason(
    "The file would have too many labels or bytes; `detail` names the limit.",
    "Print in several requests, with `limit` and `offset`.",
  ),
  too_many_documents: reason(
    "One file may contain only so many orders or shipments; `detail` names the limit.",
    "Print in several requests.",
  ),
  empty_patch: reason("The body of the `PATCH` has no field.", "Send at least one field. `null` clears a field."),
  missing_token: reason(
    "The request has no `Authorization` header.",
    "Send `Authorization: Bearer` with an API key or an access token.",
  ),
  malformed_token: reason(
    "The value after `Bearer` is neither an API key (`ooh_live_…`, `ooh_test_…`) nor an access token.",
    "Copy the whole value, without quotes or line breaks.",
  ),
  invalid_token: reason(
    "The key was deleted, the session was ended, or the token was never issued by this hub.",
    "Create another API key, or sign in again.",
  ),
  expired_token: reason(
    "An access token lasts 15 minutes, and an API key until its expiry date.",
    "Refresh the token with `POST /auth/refresh`, or rotate the key.",
  ),
  environment_mismatch: reason(
    "Live and preview have separate keys and tokens: `ooh_live_…` works on live, `ooh_test_…` on the preview.",
    "Use a key of this environment, or call the other address.",
  ),
  invalid_signature: reason(
    "An inbound webhook is not signed with the secret of its bridge or carrier account, or its body was changed on the way.",
    "Enter the secret that the sender shows. Proxies must pass the body on unchanged.",
  ),
  invalid_credentials: reason(
    "There is no active user with this email address and password.",
    "Check both, or reset the password. After several failures sign-in is slowed down.",
  ),
  totp_required: reason(
    "The user has an authenticator app, and the request has no code.",
    "Send the six digits as `totpCode`.",
  ),
  invalid_totp_code: reason(
    "The code is wrong, belongs to another half minute, or was used already.",
    "Wait for the next code, and check the clock of the phone.",
  ),
  organization_required: reason(
    "The email address belongs to users of several organizations.",
    "Send `organizationId`; `organizations` lists the choices.",
  ),
  sign_in_not_started: reason(
    "The browser returned from the identity provider without the cookie of the start, or after it had expired.",
    "Begin again at the sign-in page of the hub, in the same browser.",
  ),
  identity_provider_rejected: reason(
    "The identity provider refused the sign-in, or its token is not valid for this hub.",
    "`detail` has the answer of the provider. Check client ID, secret and redirect address.",
  ),
  account_not_linked: reason(
    "The identity provider knows the person, but the hub has no user for this account.",
    "An administrator invites the person with the same email address.",
  ),
  refresh_token_reused: reason(
    "A refresh token works once. A second use means that two clients share it or that it was stolen, so the session was ended.",
    "Sign in again, and store the new refresh token of each answer.",
  ),
  insufficient_scope: reason(
    "The key or role does not have the scope that the route requires.",
    "`detail` names the scope. Create a key that has it; see [Scopes](/docs/scopes).",
  ),
  admin_required: reason(
    "The route is for administrators.",
    "Ask an administrator, or use the key of one with the scope `admin`.",
  ),
  agent_key_restricted: reason(
    "The key is for an AI assistant, and was used for a change outside of MCP, or for a retry of a task that does not say how many orders it changes.",
    "Use the tools of `POST /mcp`, or `POST /operations/run` with the `preflight_token` of a preflight. Leave other retries to a user. Programs of your own need an API key without `agent`.",
  ),
  step_up_required: reason(
    "The change is sensitive, and the last confirmation of password or code is too long ago.",
    "Confirm with `POST /auth/step-up`, then repeat the request.",
  ),
  totp_enrollment_required: reason(
    "The organization requires an authenticator app, and this user has none.",
    "Set one up with `POST /me/totp` or in the console under your profile.",
  ),
  cross_origin_request: reason(
    "A browser sent the request with the session cookie from a page of another origin.",
    "Call the hub from its own pages, or with a bearer token and `HUB_CORS_ORIGINS`.",
  ),
  organization_mismatch: reason(
    "The token belongs to another organization than the address names.",
    "Use a token of that organization.",
  ),
  route_not_found: reason(
    "No route has this path. Routes are below `/api/v1` and `/v1`.",
    "Compare the path with the [API reference](/docs/api/).",
  ),
  invalid_link: reason(
    "The link of an invitation or a password reset was cut off or never existed.",
    "Copy the whole link from the e-mail, or ask for another.",
  ),
  method_not_allowed: reason("The path exists, with other methods.", "Use one of the methods in the header `Allow`."),
  request_timeout: reason(
    "Headers take at most 10 seconds, the whole request 30.",
    "Send large files from a faster connection, or in several requests.",
  ),
  link_used: reason("The link works once.", "Sign in, or ask for another link."),
  link_expired: reason("The link was not used in time.", "Ask for another link."),
  link_revoked: reason(
    "The link was revoked, or a newer one replaced it.",
    "Use the newest e-mail, or ask for another link.",
  ),
  cursor_expired: reason(
    "The events after the cursor are older than `HUB_EVENT_RETENTION_DAYS`.",
    "Compare your data with the hub, then start without a cursor.",
  ),
  version_mismatch: reason(
    "`If-Match` has another version than the record: someone changed it since you read it.",
    "Read it again, apply your change to the new version, and send its `ETag`.",
  ),
  body_too_large: reason(
    "The body is larger than the route accepts: 10 MiB unless documented otherwise, after decompression.",
    "Split the request.",
  ),
  unsupported_media_type: reason(
    "The route does not accept this `Content-Type` or `Content-Encoding`.",
    "Send JSON as application/json, or what the route documents, such as CSV as text/csv.",
  ),
  expectation_failed: reason("Only `Expect: 100-continue` is supported.", "Leave the header out."),
  unknown_host: reason(
    "The `Host` header names none of the hub's names, which protects against DNS rebinding.",
    "Call the hub by a name of `HUB_PUBLIC_URLS`, or add the name there.",
  ),
  idempotency_key_reused: reason(
    "The key was used for a request with another body or path within 24 hours.",
    "Use a new key for each new request, and the same one only for its repetition.",
  ),
  rate_limited: reason(
    "More requests than the limit of your key or address allows.",
    `${retry} The header \`RateLimit\` shows what is left.`,
  ),
  too_many_streams: reason(
    "A caller may have 10 open streams, an organization 100.",
    "Close streams that are no longer read; use one for all types.",
  ),
  headers_too_large: reason(
    "The headers are larger than 16 KiB.",
    "Remove cookies and long headers; move lists into the body or split them.",
  ),
  internal_error: reason(
    "A defect of the hub. The request may or may not have been applied.",
    "Look up `requestId` in the log. Repeat a `POST` only with the same `Idempotency-Key`.",
  ),
  not_implemented: reason(
    "The request uses a transfer encoding or an upgrade that the hub does not support.",
    "Send a plain HTTP/1.1 request.",
  ),
  bridge_failed: reason(
    "The other system answered with an error, or with something that is not an answer of its API.",
    `\`detail\` has its words. Test the bridge with \`POST /bridges/{id}/test\`. ${retry}`,
  ),
  carrier_failed: reason("The carrier answered with an error of its own.", `\`detail\` has its words. ${retry}`),
  overloaded: reason("The hub has more requests than it can process, or your organization more than its share.", retry),
  database_unavailable: reason(
    "The hub cannot reach its database.",
    `${retry} Operators: see \`/readyz\` and the log.`,
  ),
  storage_full: reason(
    "The disk of the database is full.",
    "Operators: free or add space; see [Running the hub](/docs/operate).",
  ),
  identity_provider_unavailable: reason(
    "The identity provider does not answer.",
    `${retry} Signing in with a password still works where it is allowed.`,
  ),
  not_ready: reason("The hub is starting, stopping or migrating its database.", retry),
  bridge_timed_out: reason(
    "The other system did not answer in time. It may have applied the request.",
    `Look there before repeating. ${retry}`,
  ),
};
