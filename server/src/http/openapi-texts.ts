/** What holds for every route, so that none of them has to say it. Markdown. */
export const introduction = `Orders, pickups, locations, rates, transformations, tasks, condition sets, schedules, and a gateway.

**Tokens.** Send \`Authorization: Bearer\` with an API key (\`ooh_live_…\`, \`ooh_test_…\`) or with an access token from
\`POST /api/v1/auth/token\`. Every route names the scope it needs; [/docs/scopes](/docs/scopes) lists them.

**Errors** are \`application/problem+json\` (RFC 9457); the gateway has an envelope of its own. \`code\` is stable and meant
for programs, \`detail\` for people. \`errors\` names every field that is wrong at once. If \`retryable\` is true, the same
request may succeed later; \`Retry-After\` says when.

**Requests.** JSON in UTF-8, up to 10 MiB unless a route says otherwise; what a route does not name is refused. A body may be
compressed (\`Content-Encoding\` gzip, deflate or br); the limit is for what it holds. Answers of 1 KiB or more are compressed with
br or gzip if \`Accept-Encoding\` names them, except for those with a secret. A \`PATCH\` is a merge patch (RFC 7396): what is left out
stays, null empties. Every \`POST\` takes an \`Idempotency-Key\`: send the same request again under the same key, and it is done
once. Keys are kept for 24 hours.

**Lists** have \`data\` and \`pagination\`, newest first unless they say otherwise, and \`Link\` headers. A page has 25 entries unless
\`limit\` says otherwise: whoever wants all of them follows \`rel="next"\`, or goes on while \`hasMore\` is true. \`page\` counts from 1; a
page past the end is empty.

**What was made** is to be found at \`Location\`, of a 201 as of a 202, whose work may not be finished. A dry run makes nothing and
answers 200.

**Versions.** A record with \`version\` has it as \`ETag\` too. Send it as \`If-Match\` with a change: if somebody else was first,
the answer is 412. Send it as \`If-None-Match\` with a read: if nothing has changed, the answer is 304.

**Values.** Ids are UUIDs. Moments are RFC 3339 in UTC. Names are camelCase, but snake_case in operations, locations and the
gateway. Every answer has \`X-Request-Id\`, which is also in the log, and \`Hub-Environment\` (live or preview). With rate
limits, \`RateLimit\` says how much is left.`;

export const cookieText =
  "Of a browser that has signed in by `POST /api/v1/auth/session`; `ooh_preview` on the preview, with `__Host-` before it over " +
  "TLS. Changes are taken from the hub's own pages only.";

/** The groups of the reference, in the order in which it shows them: the part of the path after /api/v1. */
export const tagTexts: Record<string, string> = {
  auth: "Sign in with a password, for tokens or with a browser, or through the OIDC issuer; renew and end sessions",
  me: "The caller",
  sessions: "Where one is signed in, and ending it",
  "api-keys": "Keys for programs: scopes, expiry, rotation",
  orders: "Orders: create, import, search, change, export, and the history of each",
  operations: "Pipelines of actions over orders: preflight, run, retry, undo, cancel, and saved pipelines",
  "condition-sets": "Named sets of texts, for conditions of actions, mappings and surcharges",
  bridges: "Connections to shops, ERPs and files; each is a configured connector",
  tasks: "What a bridge does, at once or in the background; an execution is one such piece of work",
  exceptions: "What went wrong and somebody has to see: why, the record, and what can be done about it",
  transformations: "Mappings between a bridge's data and the hub's: test, suggest, version, replay",
  schedules: "Tasks by the clock",
  automations: "Pipelines that start by themselves",
  locations: "Warehouses and other places, by hand or synced from a bridge",
  "carrier-accounts": "Configured carriers with rate cards and zone charts; quotes",
  shipments: "Shipments and their tracking",
  pickups: "Pickups by a carrier: check, book, change, cancel",
  "rate-comparisons": "What parcels would have cost with another contract",
  "import-presets": "How files of orders are read: those of known programs, and one's own",
  organizations: "Tenants of this hub",
  users: "The people of an organization",
  views: "Views of lists that people keep, for themselves or for all",
  search: "Records of all kinds by what they are called",
  events: "What happens, as it happens: a feed with cursors, and the same as a stream",
  webhooks:
    "Endpoints of yours that are told what happens, signed and until they take it; what was sent, and sending it again",
  audit: "Who changed what, as a hash chain",
  requests: "What was asked of the API, by whom, and how it ended",
  outbound: "Whether the hub calls other systems; paused after a restore",
  preview: "Clock and reset; on the preview surface only",
  gateway: "Network figures and what is available, in an envelope",
};

export const failureTexts: Record<number, string> = {
  400: "The request is not valid; `errors` says where and why",
  401: "No token, or not a valid one",
  403: "The token may not do this",
  404: "There is no such thing, or not for this organization",
  408: "The request took too long to arrive",
  409: "In conflict with the present state",
  410: "What was asked for is not kept any more",
  412: "Changed by somebody else since it was read",
  413: "The body is too large",
  415: "The body has a type, or a Content-Encoding, that this route does not take",
  417: "The Expect header asks for something else than 100-continue",
  422: "The Idempotency-Key was used with another request",
  429: "Too many requests; see Retry-After",
  431: "The headers are too large",
  500: "A fault of the hub; the log has it under the request id",
  502: "The other system answered with a failure, or with something that makes no sense",
  503: "Not possible right now; see Retry-After",
  504: "The other system did not answer in time",
};
