import type { ScopeName } from "./api-keys.queries.ts";

export type KeyBundle = { id: string; label: string; note: string; has(scope: ScopeName): boolean };

/** Scopes that a program gets only when an administrator chooses them one by one. */
const special: readonly string[] = [
  "admin",
  "audit:read",
  "operations:override",
  "preview:write",
  "organizations:write",
];
const isPlain = (scope: ScopeName): boolean => !special.includes(scope) && !scope.startsWith("gateway:");
const areaOf = (scope: ScopeName): string => scope.split(":", 1)[0]!;

const orderAreas = ["orders", "operations", "locations", "stock", "exceptions", "condition_sets", "pii"];
const shippingAreas = ["shipments", "pickups", "carrier_accounts", "locations", "pii"];
const reports = ["orders:read", "shipments:read", "rates:read", "operations:read", "exceptions:read", "gateway:read"];

/** Permissions that usually go together. */
export const keyBundles: readonly KeyBundle[] = [
  {
    id: "read",
    label: "Read only",
    note: "Reads all records, without names and addresses",
    has: (scope) => isPlain(scope) && scope.endsWith(":read") && scope !== "pii:read",
  },
  {
    id: "orders",
    label: "Orders",
    note: "Imports, changes and exports orders, and runs pipelines",
    has: (scope) => isPlain(scope) && orderAreas.includes(areaOf(scope)),
  },
  {
    id: "shipping",
    label: "Shipping",
    note: "Reads orders; buys labels, tracks shipments and books pickups",
    has: (scope) => scope === "orders:read" || (isPlain(scope) && shippingAreas.includes(areaOf(scope))),
  },
  {
    id: "reporting",
    label: "Reporting",
    note: "Reads orders, shipments, rates and figures, without names and addresses",
    has: (scope) => reports.includes(scope),
  },
  {
    id: "integration",
    label: "Full integration",
    note: "Everything except users, keys, settings and the audit log",
    has: isPlain,
  },
];

/** The scopes of a bundle that the creator of the key has. */
export const scopesOfBundle = (bundle: KeyBundle, held: readonly ScopeName[]): ScopeName[] =>
  held.filter((scope) => bundle.has(scope));

/** Name of the bundle with exactly these scopes, for lists. */
export function bundleName(scopes: readonly string[], held: readonly ScopeName[]): string | undefined {
  return keyBundles.find((bundle) => {
    const wanted = scopesOfBundle(bundle, held);
    return wanted.length === scopes.length && wanted.every((scope) => scopes.includes(scope));
  })?.label;
}
