/** Conventions that apply to every route. Markdown. */
export const introduction = `Orders, pickups, locations, rates, transformations, tasks, condition sets, schedules, and a gateway.
Guides, every action with an example, and every error with its cause and fix are in the [documentation](/docs/).

**Authentication.** Send \`Authorization: Bearer\` with an API key (\`ooh_live_…\`, \`ooh_test_…\`) or with an access token from
\`POST /api/v1/auth/token\`. Each route names the scope it requires; see [/docs/scopes](/docs/scopes).

**Errors** are \`application/problem+json\` (RFC 9457); the gateway has its own envelope. \`code\` is stable and meant for
programs, \`detail\` for people. \`errors\` lists all invalid fields at once. If \`retryable\` is true, the same request may succeed
later; \`Retry-After\` gives the delay.

**Requests** are JSON in UTF-8, up to 10 MiB unless a route documents another limit. Unknown fields are rejected. A body may be
compressed (\`Content-Encoding\` gzip, deflate or br); the limit applies to the decompressed body. Responses of 1 KiB or more are
compressed with br or gzip if \`Accept-Encoding\` allows it, except those that contain a secret. \`PATCH\` is a merge patch
(RFC 7396): omitted fields are unchanged, null clears a field. Every \`POST\` accepts an \`Idempotency-Key\`: a repeated request with
the same key runs once. Keys are kept for 24 hours.

**Lists** have \`data\` and \`pagination\`, newest first unless documented otherwise, and \`Link\` headers. A page has 25 entries
unless \`limit\` is given. To read all entries, follow \`rel="next"\` or continue while \`hasMore\` is true. \`page\` starts at 1; a page
after the last one is empty.

**Created records** are at the URL in \`Location\`, after a 201 and after a 202, whose work may not be finished. A dry run creates
nothing and returns 200.

**Versions.** A record with \`version\` also has it as \`ETag\`. Send it as \`If-Match\` with a change: if the record was changed since
you read it, the response is 412. Send it as \`If-None-Match\` with a read: if nothing has changed, the response is 304.

**Values.** IDs are UUIDs. Times are RFC 3339 in UTC. Names are camelCase, but snake_case in operations, automations, locations and
the gateway. Every response has \`X-Request-Id\`, which is also in the log, and \`Hub-Environment\` (live or preview). With rate
limits, \`RateLimit\` gives the remaining quota.`;

export const cookieText =
  "Session cookie set by `POST /api/v1/auth/session`; named `ooh_preview` on the preview, and prefixed with `__Host-` over TLS. " +
  "With the cookie, changes are accepted only from the hub's own origin.";

/** Groups of the reference, in display order, by the first path segment after /api/v1. */
export const tagTexts: Record<string, string> = {
  auth: "Sign in with a password or an OIDC identity provider; refresh and revoke sessions",
  me: "The authenticated user or API key",
  sessions: "List and revoke sign-in sessions",
  "api-keys": "API keys with scopes, expiry and rotation",
  orders: "Create, import, search, update and export orders; change history",
  operations: "Action pipelines on orders: preflight, run, retry, undo, cancel; saved pipelines",
  "condition-sets": "Reusable sets of values for conditions in actions, mappings and surcharges",
  bridges: "Connections to shops, ERPs and files; each bridge configures one connector",
  tasks: "Execute bridge tasks, immediately or queued; execution history",
  exceptions: "Problems that need attention, with their records and available actions",
  transformations: "Data mappings between a bridge and the hub: test, suggest, version, replay",
  schedules: "Cron schedules for bridge tasks",
  automations: "Pipelines triggered by events or a cron schedule",
  locations: "Warehouses and other locations, created manually or synced from a bridge",
  stock: "Stock levels by SKU and location: a copy of what shops and warehouses report",
  "carrier-accounts": "Carrier accounts with rate cards, zone charts and quotes",
  shipments: "Shipments, labels, manifests and tracking events",
  documents: "Packing slips, pick lists and manifests as PDF files",
  packing: "Packing stations: scan orders and items, finish packages, buy labels",
  pickups: "Check, schedule, reschedule and cancel carrier pickups",
  "rate-comparisons": "Compare shipping costs with another carrier contract",
  invoices: "Carrier invoices as the carriers send them, with all lines, and their audits",
  findings: "Charges of carrier invoices that the contract does not explain",
  "import-presets": "Column presets for order files, built in and custom",
  organizations: "Tenants of this hub",
  users: "Users of an organization",
  invitations: "Links with which people join an organization and choose their own password",
  people: "Colleagues by name, to assign and mention them",
  notifications: "What a user should know: failed runs, paused automations, assignments, mentions, failing connections",
  views: "Saved list views, personal or shared",
  search: "Search across all record types",
  reports: "What needs attention, today's shipping, and figures by day, carrier, service, location and person",
  events: "Event feed with cursors, and event stream",
  webhooks: "Signed webhooks with retries; delivery log and resend",
  audit: "Tamper-evident audit log",
  requests: "Log of API requests",
  outbound: "Pause of outbound requests after a restore",
  preview: "Preview clock and data reset; preview environment only",
  gateway: "Network KPIs and route availability",
};

/** Names of groups that do not follow from their path segment. */
export const tagNames: Record<string, string> = {
  auth: "Authentication",
  me: "Current caller",
  "api-keys": "API keys",
};

export const deliveriesText = "Requests that the hub sends to your webhooks, one for each event type";

export const failureTexts: Record<number, string> = {
  400: "The request has invalid fields; `errors` lists them",
  401: "The token is missing or invalid",
  403: "The token does not permit this",
  404: "Not found in this organization",
  408: "The request was not received in time",
  409: "Conflict with the current state",
  410: "No longer available",
  412: "The record was changed since it was read",
  413: "The request body is too large",
  415: "The Content-Type or Content-Encoding is not supported by this route",
  417: "The Expect header is not supported",
  422: "The Idempotency-Key was used with a different request",
  429: "Too many requests; see Retry-After",
  431: "The request headers are too large",
  500: "Internal error; the log has it under the request ID",
  502: "The other system returned an error or an invalid response",
  503: "Temporarily unavailable; see Retry-After",
  504: "The other system did not respond in time",
};
