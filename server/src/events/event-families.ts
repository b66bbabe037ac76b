import type { Scope } from "../core/scopes.ts";
import { hasScope } from "../core/scopes.ts";
import type { EventType } from "./event-catalogue.ts";
import { eventCatalogue } from "./event-catalogue.ts";

/** Events about several objects belong to the family of events about one. */
const plurals = { orders: "order", shipments: "shipment", locations: "location", exceptions: "exception" } as const;

type PrefixOf<Type> = Type extends `${infer First}.${string}` ? First : never;
type Family = Exclude<PrefixOf<EventType>, keyof typeof plurals>;

/** Reading an event requires `events:read` and the read scope of its objects. */
const familyScopes: Record<Family, Scope> = {
  organization: "admin",
  invitation: "admin",
  notification: "events:read",
  user: "admin",
  session: "admin",
  api_key: "admin",
  condition_set: "condition_sets:read",
  location: "locations:read",
  stock: "stock:read",
  bridge: "bridges:read",
  transformation: "transformations:read",
  task_execution: "tasks:read",
  schedule: "schedules:read",
  automation: "automations:read",
  carrier_account: "carrier_accounts:read",
  order: "orders:read",
  import_preset: "orders:read",
  shipment: "shipments:read",
  label: "shipments:read",
  manifest: "shipments:read",
  pickup: "pickups:read",
  packing: "orders:read",
  rate_comparison: "rates:read",
  invoice: "invoices:read",
  webhook: "webhooks:read",
  exception: "exceptions:read",
  view: "admin",
  pipeline: "operations:read",
  operation_run: "operations:read",
  preview: "admin",
  retention: "admin",
  outbound: "admin",
};

export const eventTypes = Object.keys(eventCatalogue) as EventType[];
export const eventFamilies = Object.keys(familyScopes) as Family[];

const familyOfPrefix = (prefix: string): string => (plurals as Record<string, string>)[prefix] ?? prefix;

function familyOf(type: string): Family {
  return familyOfPrefix(type.split(".", 1)[0]!) as Family;
}

/** Types that are not in the catalogue any more are for administrators. */
export function scopeOfEvent(type: EventType): Scope {
  const scopes: Partial<Record<string, Scope>> = familyScopes;
  return scopes[familyOf(type)] ?? "admin";
}

/** Pairs of types for one and for several objects: `order.created` and `orders.created`. */
const sameChange = Map.groupBy(eventTypes, (type) => familyOf(type) + type.slice(type.indexOf(".")));
const counterparts = new Map([...sameChange.values()].flatMap((types) => types.map((type) => [type as string, types])));

/**
 * The types selected by a name, the named one first: a type and its counterpart for one or several objects, or a family
 * such as `order.*`. Empty: unknown name.
 */
export function typesNamed(name: string): EventType[] {
  const same = counterparts.get(name);
  if (same) return [name as EventType, ...same.filter((type) => type !== name)];
  const prefix = /^([a-z_]+)\.\*$/.exec(name)?.[1];
  if (prefix === undefined) return [];
  return eventTypes.filter((type) => familyOf(type) === familyOfPrefix(prefix));
}

/** The types selected by these names, each once. */
export function typesOf(names: readonly string[]): EventType[] {
  return [...new Set(names.flatMap(typesNamed))];
}

export function mayRead(scopes: ReadonlySet<Scope>, type: EventType): boolean {
  return hasScope(scopes, scopeOfEvent(type));
}
