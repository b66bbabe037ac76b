import type { Scope } from "../core/scopes.ts";
import { hasScope } from "../core/scopes.ts";
import type { EventType } from "./event-catalogue.ts";
import { eventCatalogue } from "./event-catalogue.ts";

/** Those of several objects at once belong to the family of one of them. */
const plurals = { orders: "order", shipments: "shipment", locations: "location", exceptions: "exception" } as const;

type PrefixOf<Type> = Type extends `${infer First}.${string}` ? First : never;
type Family = Exclude<PrefixOf<EventType>, keyof typeof plurals>;

/** What one may read of the hub otherwise, one may read about here: beside `events:read` it takes the scope of the family. */
const familyScopes: Record<Family, Scope> = {
  organization: "admin",
  user: "admin",
  session: "admin",
  api_key: "admin",
  condition_set: "condition_sets:read",
  location: "locations:read",
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
  pickup: "pickups:read",
  rate_comparison: "rates:read",
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

export function scopeOfEvent(type: EventType): Scope {
  return familyScopes[familyOf(type)];
}

/** The types that a name stands for: one type, or a family as in `order.*`, which has `orders.updated` too. None: there is no such. */
export function typesNamed(name: string): EventType[] {
  if (Object.hasOwn(eventCatalogue, name)) return [name as EventType];
  const prefix = /^([a-z_]+)\.\*$/.exec(name)?.[1];
  if (prefix === undefined) return [];
  return eventTypes.filter((type) => familyOf(type) === familyOfPrefix(prefix));
}

export function mayRead(scopes: ReadonlySet<Scope>, type: EventType): boolean {
  return hasScope(scopes, scopeOfEvent(type));
}
