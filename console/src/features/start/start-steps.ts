import { paths } from "../../app/paths.ts";
import type { Me } from "../../live/me.ts";
import { formatCount, plural } from "../../ui/format.ts";
import type { IconName } from "../../ui/icons.tsx";
import type { StartCounts } from "./start.queries.ts";

export type StartStep = {
  title: string;
  /** What it is for, or what is there already. */
  about: string;
  isDone: boolean;
  action: string;
  icon: IconName;
  href: string;
};

/** The steps of the setup that this user may do. */
export function stepsOf({ bridges, carriers, orders, runs, users }: StartCounts, { scopes }: Me): StartStep[] {
  const steps: Array<StartStep & { isAllowed: boolean }> = [
    {
      title: "Connect a shop",
      about: bridges ? `${plural(bridges, "connection")} set up.` : "Orders from your shop arrive automatically.",
      isDone: Boolean(bridges),
      action: "Connect a shop",
      icon: "plug",
      href: bridges ? paths.bridges() : paths.newBridge(),
      isAllowed: scopes.includes("bridges:write"),
    },
    {
      title: "Connect a carrier",
      about: carriers
        ? `${plural(carriers, "carrier account")} set up.`
        : "Use your own account and prices to compare rates, buy labels and book pickups.",
      isDone: Boolean(carriers),
      action: "Connect a carrier",
      icon: "card",
      href: paths.carriers(),
      isAllowed: scopes.includes("carrier_accounts:write"),
    },
    {
      title: "Import orders",
      about: orders
        ? `${formatCount(orders)} ${orders === 1 ? "order is" : "orders are"} in the hub.`
        : "From a CSV or XLSX file, from a connection, or with the API.",
      isDone: Boolean(orders),
      action: "Import orders",
      icon: "download",
      href: orders ? paths.orders() : paths.orderImport(),
      isAllowed: scopes.includes("orders:write"),
    },
    {
      title: "Run your first bulk edit",
      about: runs
        ? `${plural(runs, "run")} so far.`
        : "Select orders, add steps such as tag, hold or buy label, and preview the result before it runs.",
      isDone: Boolean(runs),
      action: "Select orders",
      icon: "box",
      href: runs ? paths.operations() : paths.orders(),
      isAllowed: scopes.includes("operations:run"),
    },
    {
      title: "Invite your team",
      about:
        (users ?? 0) > 1
          ? `${plural(users!, "person", "people")} can sign in.`
          : "Each person gets a role: admin, operator or viewer.",
      isDone: (users ?? 0) > 1,
      action: "Invite people",
      icon: "users",
      href: paths.users(),
      isAllowed: scopes.includes("admin"),
    },
  ];
  return steps.flatMap(({ isAllowed, ...step }) => (isAllowed ? [step] : []));
}
