/** All permissions with their descriptions. docs/scopes.md is generated from this list. */
export const scopeTexts = {
  "orders:read": "Read orders, their timeline and counts",
  "orders:write": "Create, update, import and delete orders",
  "operations:read": "List actions, preflight pipelines and read runs",
  "operations:write": "Create, update and delete saved pipelines",
  "operations:run": "Run, retry, cancel and undo pipelines",
  "operations:override": "Force order statuses and override holds",
  "shipments:read": "Read shipments and tracking",
  "shipments:write": "Create and update shipments, labels and tracking events",
  "pickups:read": "Read pickups",
  "pickups:write": "Schedule, reschedule and cancel pickups",
  "locations:read": "Read locations",
  "locations:write": "Create, update, sync and delete locations",
  "stock:read": "Read stock levels",
  "stock:write": "Set stock levels",
  "carrier_accounts:read": "Read carrier accounts and rate cards",
  "carrier_accounts:write": "Create, update and delete carrier accounts, rate cards and zone charts",
  "rates:read": "Read rate comparisons",
  "rates:write": "Create, process and delete rate comparisons",
  "invoices:read": "Read carrier invoices, their lines and audits",
  "invoices:write": "Import, audit and delete carrier invoices, decide on findings",
  "bridges:read": "Read bridges and their task catalog",
  "bridges:write": "Create, update and delete bridges and their credentials",
  "transformations:read": "Read and test transformations",
  "transformations:write": "Create, update and delete transformations",
  "tasks:read": "Read task executions",
  "tasks:execute": "Execute, cancel and retry tasks",
  "exceptions:read": "Read exceptions and their records",
  "exceptions:write": "Resolve and dismiss exceptions; some actions need further scopes",
  "condition_sets:read": "Read condition sets and their values",
  "condition_sets:write": "Create, update and delete condition sets and their values",
  "schedules:read": "Read schedules",
  "schedules:write": "Pause and delete schedules; with `tasks:execute` also create, update, resume and trigger them",
  "automations:read": "Read automations and their invocations, and test them",
  "automations:write": "Create, update, pause and resume automations, which run with their owner's permissions",
  "webhooks:read": "Read webhooks and deliveries",
  "webhooks:write": "Create, update and delete webhooks, and resend deliveries",
  "events:read": "Read the event feed",
  "audit:read": "Read and verify the audit log",
  "api_keys:read": "List API keys, without their values",
  "gateway:read": "Read the gateway for your organization",
  "gateway:global": "Read the gateway across all organizations (hub operators only)",
  "organizations:write": "Create organizations on this hub (hub operators only)",
  "preview:write": "Set the preview clock and reset preview data (hub operators only)",
  "pii:read": "Read recipients' names, street addresses, phone numbers and email addresses",
  admin: "Full access to your organization, including users and API keys",
} as const;

export type Scope = keyof typeof scopeTexts;
export const scopes = Object.keys(scopeTexts) as Scope[];

export type Role = "viewer" | "operator" | "admin";
export const roles: readonly Role[] = ["viewer", "operator", "admin"];

/** Scopes that reach beyond one organization. The administrator role does not include them, except on the hub's operator organization. */
export const operatorOnlyScopes: ReadonlySet<Scope> = new Set([
  "gateway:global",
  "organizations:write",
  "preview:write",
]);

const adminOnly: ReadonlySet<Scope> = new Set(["admin", "operations:override", "audit:read"]);

/** Scopes that a key gets only when its request names them; leaving out `scopes` must not grant administrator access. */
const onlyWhenNamed: ReadonlySet<Scope> = new Set([...adminOnly, ...operatorOnlyScopes]);

/** Scopes of a key whose request names none: those of its creator, without the administrator-only ones. */
export function defaultKeyScopes(granted: ReadonlySet<Scope>): Scope[] {
  return scopes.filter((scope) => hasScope(granted, scope) && !onlyWhenNamed.has(scope));
}

/** Scopes that an agent key cannot have: an assistant that follows an instruction in a record must not reach further than its task. */
const notForAgents: ReadonlySet<Scope> = new Set(["admin", "operations:override", ...operatorOnlyScopes]);

export function scopesRefusedToAgents(requested: readonly Scope[]): Scope[] {
  return requested.filter((scope) => notForAgents.has(scope));
}

/** Scopes of an agent key whose request names none: those to read, without personal data. */
export function defaultAgentScopes(granted: ReadonlySet<Scope>): Scope[] {
  return defaultKeyScopes(granted).filter((scope) => scope.endsWith(":read") && scope !== "pii:read");
}

function rolePermits(role: Role, scope: Scope): boolean {
  if (role === "admin") return true;
  if (adminOnly.has(scope)) return false;
  return role === "operator" || (scope.endsWith(":read") && scope !== "pii:read");
}

/** Scopes of a user with this role; `isHubOperator` is true in the organization that operates the hub. */
export function scopesOfRole(role: Role, isHubOperator: boolean): Scope[] {
  return scopes.filter(
    (scope) => rolePermits(role, scope) && (!operatorOnlyScopes.has(scope) || (isHubOperator && role === "admin")),
  );
}

/** `admin` includes every scope except `operatorOnlyScopes`. */
export function hasScope(granted: ReadonlySet<Scope>, required: Scope): boolean {
  return granted.has(required) || (granted.has("admin") && !operatorOnlyScopes.has(required));
}

/**
 * Requested scopes that the grantor does not hold. Keys and roles can pass on only what their grantor has; a narrow key
 * could otherwise create a wider one.
 */
export function scopesNotHeld(granted: ReadonlySet<Scope>, requested: readonly Scope[]): Scope[] {
  return requested.filter((scope) => !hasScope(granted, scope));
}
