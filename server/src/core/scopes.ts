/** The closed list of permissions. docs/scopes.md is generated from it. */
export const scopeTexts = {
  "orders:read": "Read orders, their timeline and counts",
  "orders:write": "Create, change, import and delete orders",
  "operations:read": "Read the action catalog, preflight pipelines, read runs",
  "operations:write": "Save pipelines",
  "operations:run": "Run, retry, cancel and undo pipelines",
  "operations:override": "Force order states and override holds",
  "shipments:read": "Read shipments and tracking",
  "shipments:write": "Create shipments and tracking events",
  "pickups:read": "Read pickups",
  "pickups:write": "Schedule and cancel pickups",
  "locations:read": "Read locations",
  "locations:write": "Change and sync locations",
  "carrier_accounts:read": "Read carrier accounts and rate cards",
  "carrier_accounts:write": "Change carrier accounts and rate cards",
  "rates:read": "Read rate comparisons",
  "rates:write": "Create, process and delete rate comparisons",
  "bridges:read": "Read bridges and their task catalog",
  "bridges:write": "Change bridges and their credentials",
  "transformations:read": "Read and test transformations",
  "transformations:write": "Change transformations",
  "tasks:read": "Read task executions",
  "tasks:execute": "Execute, cancel and retry tasks",
  "exceptions:read": "Read what went wrong, with the records it is about",
  "exceptions:write": "Dismiss what went wrong, and put it right as far as the other scopes permit",
  "condition_sets:read": "Read condition sets and their values",
  "condition_sets:write": "Change condition sets and their values",
  "schedules:read": "Read schedules",
  "schedules:write": "Pause and delete schedules; with `tasks:execute` also create, change, resume and trigger them",
  "automations:read": "Read automations and what they did, and test them",
  "automations:write": "Change, pause and resume automations, which do what their maker may",
  "webhooks:read": "Read webhooks and deliveries",
  "webhooks:write": "Change webhooks and redeliver",
  "events:read": "Read the event feed",
  "audit:read": "Read and verify the audit log",
  "api_keys:read": "List API keys (never their values)",
  "gateway:read": "Read the gateway of the own organization",
  "gateway:global": "Read the gateway across all organizations (hub operators only)",
  "organizations:write": "Create organizations on this hub (hub operators only)",
  "preview:write": "Set the clock of the preview surface and reset it (hub operators only)",
  "pii:read": "See names, street lines, phone numbers and e-mail addresses of recipients",
  admin: "Everything in the own organization, including users and API keys",
} as const;

export type Scope = keyof typeof scopeTexts;
export const scopes = Object.keys(scopeTexts) as Scope[];

export type Role = "viewer" | "operator" | "admin";
export const roles: readonly Role[] = ["viewer", "operator", "admin"];

/** Reach beyond one organization: an organization's own administrator must not get these by being an administrator. */
export const operatorOnlyScopes: ReadonlySet<Scope> = new Set([
  "gateway:global",
  "organizations:write",
  "preview:write",
]);

const adminOnly: ReadonlySet<Scope> = new Set(["admin", "operations:override", "audit:read"]);

/** Scopes that a key gets only when its request names them: an omitted list must not grant them. */
const onlyWhenNamed: ReadonlySet<Scope> = new Set([...adminOnly, ...operatorOnlyScopes]);

/** Of a key whose request names no scopes: those of its creator, without what only administrators have. */
export function defaultKeyScopes(granted: ReadonlySet<Scope>): Scope[] {
  return scopes.filter((scope) => hasScope(granted, scope) && !onlyWhenNamed.has(scope));
}

function rolePermits(role: Role, scope: Scope): boolean {
  if (role === "admin") return true;
  if (adminOnly.has(scope)) return false;
  return role === "operator" || (scope.endsWith(":read") && scope !== "pii:read");
}

/** What a person with this role may do; `isOperator` marks the organization that runs the hub. */
export function scopesOfRole(role: Role, isOperator: boolean): Scope[] {
  return scopes.filter(
    (scope) => rolePermits(role, scope) && (!operatorOnlyScopes.has(scope) || (isOperator && role === "admin")),
  );
}

/** `admin` stands for every scope except those that reach beyond the organization. */
export function hasScope(granted: ReadonlySet<Scope>, needed: Scope): boolean {
  return granted.has(needed) || (granted.has("admin") && !operatorOnlyScopes.has(needed));
}

/**
 * Which of these the giver does not hold. Nobody can hand out more than they have, be it by a key or by a role: a narrow
 * key could else make itself a wide one.
 */
export function scopesNotHeld(granted: ReadonlySet<Scope>, wanted: readonly Scope[]): Scope[] {
  return wanted.filter((scope) => !hasScope(granted, scope));
}
