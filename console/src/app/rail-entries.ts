import type { Me } from "../live/me.ts";
import type { IconName } from "../ui/icons.tsx";
import { paths } from "./paths.ts";

export type RailEntry = {
  href: string;
  name: string;
  icon: IconName;
  /** Entries of a user without it are left out. */
  scope?: Me["scopes"][number];
  isForHubOperator?: true;
};
export type RailGroup = { name: string; entries: readonly RailEntry[]; isFolded?: true };

/** The menu. The palette lists the same pages. Add an entry here with each new route that people go to. */
export const railGroups: readonly RailGroup[] = [
  {
    name: "Work",
    entries: [
      { href: paths.overview(), name: "Overview", icon: "home" },
      { href: paths.orders(), name: "Orders", icon: "box", scope: "orders:read" },
      { href: paths.exceptions(), name: "Exceptions", icon: "alert", scope: "exceptions:read" },
      { href: paths.pack(), name: "Pack", icon: "scan", scope: "orders:write" },
      { href: paths.operations(), name: "Runs", icon: "run", scope: "operations:read" },
      { href: paths.presets(), name: "Presets", icon: "bookmark", scope: "operations:read" },
      { href: paths.reports(), name: "Reports", icon: "chart", scope: "orders:read" },
    ],
  },
  {
    name: "Ship",
    entries: [
      { href: paths.shipments(), name: "Shipments", icon: "truck", scope: "shipments:read" },
      { href: paths.labels(), name: "Labels", icon: "label", scope: "shipments:read" },
      { href: paths.pickups(), name: "Pickups", icon: "calendar", scope: "pickups:read" },
      { href: paths.rates(), name: "Rates", icon: "money", scope: "rates:read" },
      { href: paths.invoices(), name: "Invoices", icon: "note", scope: "invoices:read" },
      { href: paths.carriers(), name: "Carrier accounts", icon: "card", scope: "carrier_accounts:read" },
      { href: paths.locations(), name: "Locations", icon: "pin", scope: "locations:read" },
      { href: paths.stock(), name: "Stock", icon: "list", scope: "stock:read" },
    ],
  },
  {
    name: "Connect",
    entries: [
      { href: paths.bridges(), name: "Connections", icon: "plug", scope: "bridges:read" },
      { href: paths.automations(), name: "Automations", icon: "bolt", scope: "automations:read" },
      { href: paths.transformations(), name: "Field mappings", icon: "flow", scope: "transformations:read" },
      { href: paths.webhooks(), name: "Webhooks", icon: "webhook", scope: "webhooks:read" },
      { href: paths.conditionSets(), name: "Value lists", icon: "list", scope: "condition_sets:read" },
      { href: paths.schedules(), name: "Schedules", icon: "clock", scope: "schedules:read" },
      { href: paths.tasks(), name: "Tasks", icon: "check", scope: "tasks:read" },
    ],
  },
  {
    name: "Admin",
    isFolded: true,
    entries: [
      { href: paths.keys(), name: "Keys", icon: "key", scope: "api_keys:read" },
      { href: paths.users(), name: "Users", icon: "users", scope: "admin" },
      { href: paths.audit(), name: "Audit", icon: "shield", scope: "audit:read" },
      { href: paths.requests(), name: "Requests", icon: "server", scope: "audit:read" },
      { href: paths.organizations(), name: "Organizations", icon: "columns", isForHubOperator: true },
      { href: paths.settings(), name: "Settings", icon: "gear" },
    ],
  },
];

export const isAllowed = ({ scope, isForHubOperator }: RailEntry, me: Me): boolean =>
  (!scope || me.scopes.includes(scope)) && (!isForHubOperator || me.organization.isHubOperator);
