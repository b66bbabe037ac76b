import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useDeferredValue, useState } from "react";
import { searchOf } from "../features/orders/order-filters.pick.ts";
import { searchQuery } from "../features/search/search.queries.ts";
import { viewsQuery } from "../features/views/views.queries.ts";
import { useMe } from "../live/me.ts";
import { useOtherEnvironment } from "../live/other-environment.ts";
import { usePreferences } from "../live/preferences.ts";
import { currentCommands } from "../ui/commands.ts";
import { sentence } from "../ui/format.ts";
import { currentHotkeys } from "../ui/hotkeys.ts";
import type { IconName } from "../ui/icons.tsx";
import { nameRank } from "../ui/name-rank.ts";
import { recentPages } from "../ui/recent-pages.ts";
import type { Search } from "../ui/search-params.ts";
import { signOut } from "./account.tsx";
import { paths } from "./paths.ts";
import { isAllowed, railGroups } from "./rail-entries.ts";
import type { Overlay } from "./shell.tsx";

export type Entry = {
  group: string;
  name: string;
  note?: string | undefined;
  icon: IconName;
  keys?: string | undefined;
  isDestructive?: boolean | undefined;
  run(): void;
};
type Ranked = Entry & { rank: number };

/** Words that find a page besides its name: what is done there, and its name in the API. */
const alsoFoundBy: Record<string, string> = {
  Runs: "operations bulk edits history undo",
  Presets: "saved pipelines",
  Connections: "bridges shops warehouses connectors",
  "Field mappings": "transformations",
  "Value lists": "condition sets",
  "Carrier accounts": "carriers rate cards",
  Rates: "rate comparisons",
  Invoices: "carrier bills charges findings claims audit",
  Keys: "API keys tokens",
  Users: "people team roles",
  Audit: "history changes log",
};

/** Record types that have a page. */
const pathOf: Record<string, [icon: IconName, path: (hit: { id: string; title: string }) => string]> = {
  order: ["box", ({ title }) => paths.order(title)],
  operation_run: ["run", ({ id }) => paths.run(id)],
  pipeline: ["bookmark", ({ id }) => paths.preset(id)],
  automation: ["bolt", ({ id }) => paths.automation(id)],
  rate_comparison: ["money", ({ id }) => paths.rate(id)],
  invoice: ["note", ({ id }) => paths.invoice(id)],
  carrier_account: ["card", ({ id }) => paths.carrier(id)],
  bridge: ["plug", ({ id }) => paths.bridge(id)],
  transformation: ["flow", ({ id }) => paths.transformation(id)],
  shipment: ["truck", ({ id }) => paths.shipment(id)],
  pickup: ["calendar", ({ id }) => paths.pickups({ open: id })],
  schedule: ["clock", ({ id }) => paths.schedule(id)],
  execution: ["check", ({ id }) => paths.task(id)],
  condition_set: ["list", ({ id }) => paths.conditionSet(id)],
  location: ["pin", ({ id }) => paths.location(id)],
  webhook: ["webhook", ({ id }) => paths.webhook(id)],
  user: ["users", ({ id }) => paths.user(id)],
};
const kindNames: Record<string, string> = {
  operation_run: "Run",
  pipeline: "Preset",
  bridge: "Connection",
  transformation: "Field mapping",
  execution: "Task",
  condition_set: "Value list",
};

/** A match in the title comes before a match in the description. Undefined: no match. */
function rankOf({ name, note }: Pick<Entry, "name" | "note">, also: string, typed: string): number | undefined {
  if (typed === "") return 0;
  const byName = nameRank(name, typed);
  if (byName !== undefined) return byName;
  const byNote = nameRank(`${name} ${note ?? ""} ${also}`, typed);
  return byNote === undefined ? undefined : 10 + byNote;
}

/** Views have a `filter`; the settings of older views are the filter itself. */
const viewSearch = (settings: Record<string, unknown>): Search =>
  typeof settings["filter"] === "object" && settings["filter"] !== null
    ? searchOf(settings["filter"])
    : (settings as Search);

const maxPerGroup = 8;

/** Best matches of a group first. */
function pick(entries: ReadonlyArray<Entry & { also?: string }>, typed: string): Ranked[] {
  return entries
    .flatMap(({ also = "", ...entry }) => {
      const rank = rankOf(entry, also, typed);
      return rank === undefined ? [] : [{ ...entry, rank }];
    })
    .toSorted((one, other) => one.rank - other.rank)
    .slice(0, maxPerGroup);
}

type Found = { entries: Entry[]; best: number; isSearching: boolean };

/** Entries by group, and the one that Enter runs: the best match, but nothing destructive. */
export function useEntries(text: string, show: (overlay: Overlay) => void): Found {
  const typed = text.trim();
  const router = useRouter();
  const me = useMe();
  const go = (href: string) => () => router.history.push(href);
  const wanted = useDeferredValue(typed);
  const { data: hits = [], isFetching } = useQuery({ ...searchQuery(wanted), enabled: wanted.length >= 2 });
  const { data: views = [] } = useQuery({ ...viewsQuery("orders"), enabled: me.scopes.includes("orders:read") });
  // As they were when the palette opened: its own field must not change them.
  const [registered] = useState(currentCommands);
  const [recent] = useState(() => recentPages().slice(1));
  const commands = useGlobalCommands(show);

  const pages = railGroups
    .flatMap(({ entries }) => entries)
    .filter((entry) => isAllowed(entry, me))
    .map(({ name, icon, href }) => ({ group: "Go to", name, icon, also: alsoFoundBy[name] ?? "", run: go(href) }));
  const viewEntries = views.map(({ name, settings }) => ({
    group: "Go to",
    name,
    note: "view of orders",
    icon: "bookmark" as const,
    run: go(paths.orders(viewSearch(settings))),
  }));
  const records = hits.flatMap((hit): Ranked[] => {
    const found = pathOf[hit.kind];
    if (typed.length < 2 || !found) return [];
    const note = [kindNames[hit.kind] ?? sentence(hit.kind), hit.detail && sentence(hit.detail)];
    const rank = nameRank(hit.title, typed) ?? 5;
    const run = go(found[1](hit));
    return [
      {
        group: "Orders and records",
        name: hit.title,
        note: note.filter(Boolean).join(", "),
        icon: found[0],
        rank,
        run,
      },
    ];
  });
  const inOrders: Ranked[] =
    typed.length < 2 || !me.scopes.includes("orders:read")
      ? []
      : [
          {
            group: "Orders and records",
            name: `Search orders for “${typed}”`,
            icon: "search",
            rank: 20,
            run: go(paths.orders({ search: typed })),
          },
        ];
  const last = recent.map(({ title, href }) => ({
    group: "Recent",
    name: title,
    icon: "clock" as const,
    run: go(href),
  }));
  const all: Ranked[] = [
    ...pick(
      registered.map((command) => ({ ...command, icon: command.icon ?? "arrow-right" })),
      typed,
    ),
    ...(typed === "" ? pick(last, "") : []),
    ...pick([...pages, ...viewEntries], typed),
    ...records,
    ...inOrders,
    ...pick(commands, typed),
  ];
  return { entries: all, best: bestOf(all), isSearching: isFetching || wanted !== typed };
}

function bestOf(entries: readonly Ranked[]): number {
  const allowed = entries.filter(({ isDestructive }) => !isDestructive);
  const best = allowed.toSorted((one, other) => one.rank - other.rank)[0];
  return best ? entries.indexOf(best) : -1;
}

const timeZones = [
  { value: "browser", name: "the time zone of this browser" },
  { value: "organization", name: "the time zone of the organization" },
  { value: "UTC", name: "UTC" },
];

function useGlobalCommands(show: (overlay: Overlay) => void): Array<Entry & { also?: string }> {
  const router = useRouter();
  const me = useMe();
  const other = useOtherEnvironment();
  const { preferences, set } = usePreferences();
  // Keys that move within a list make no sense in the palette.
  const [hotkeys] = useState(() =>
    currentHotkeys().filter(
      ({ keys, name }) => !/^(g .|\$mod\+k|\$mod\+`|Shift\+\?|[jkx[\]]|Shift\+x|Escape|Enter)$/.test(keys) && name,
    ),
  );
  const go = (href: string) => () => router.history.push(href);
  const command = (name: string, icon: IconName, run: () => void, note?: string) => ({
    group: "Commands",
    name,
    icon,
    note,
    run,
  });
  const may = (scope: (typeof me.scopes)[number]): boolean => me.scopes.includes(scope);
  return [
    ...hotkeys.map(({ name, keys, run }) => ({
      group: "Commands",
      name,
      keys,
      icon: "arrow-right" as const,
      run: () => run(new KeyboardEvent("keydown")),
    })),
    ...(may("orders:write")
      ? [command("Import orders", "download", go(paths.orderImport()), "from a CSV or XLSX file")]
      : []),
    ...(may("bridges:write")
      ? [command("New connection", "plug", go(paths.newBridge()), "connect a shop or warehouse")]
      : []),
    ...(may("carrier_accounts:write") ? [command("Connect a carrier", "card", go(paths.carriers()))] : []),
    ...(may("rates:write") ? [command("New rate comparison", "money", go(paths.newRate()))] : []),
    ...(may("automations:write") ? [command("New automation", "bolt", go(paths.newAutomation()))] : []),
    ...(may("webhooks:write") ? [command("New webhook", "webhook", go(paths.newWebhook()))] : []),
    ...(may("admin") ? [command("Invite a user", "users", go(paths.users()), "add people to the organization")] : []),
    command("My account", "user", go(paths.account()), "name, password, two-step sign-in"),
    command("Light theme", "sun", () => set({ theme: "light" }), "appearance"),
    command("Dark theme", "moon", () => set({ theme: "dark" }), "appearance"),
    command("Theme of the system", "gear", () => set({ theme: "system" }), "appearance"),
    preferences.density === "comfortable"
      ? command("Compact rows", "list", () => set({ density: "compact" }), "row height, appearance")
      : command("Comfortable rows", "list", () => set({ density: "comfortable" }), "row height, appearance"),
    ...timeZones
      .filter(({ value }) => value !== preferences.timeZone)
      .map(({ value, name }) =>
        command(`Times in ${name}`, "clock", () => set({ timeZone: value }), "time zone of the console"),
      ),
    ...(may("admin")
      ? [command("Print settings", "printer", go(paths.settings()), "logo, sender address and paper of documents")]
      : []),
    command("Keyboard shortcuts", "help", () => show("keys")),
    command(
      preferences.isDockOpen ? "Close the developer panel" : "Open the developer panel",
      "dock",
      () => set({ isDockOpen: !preferences.isDockOpen }),
      "requests, errors and events",
    ),
    ...(other
      ? [
          command(
            other.environment === "preview" ? "Switch to the preview" : "Switch to live",
            "open",
            () => location.assign(other.url),
            other.environment === "preview" ? "demo data" : undefined,
          ),
        ]
      : []),
    ...(me.environment === "preview" && may("preview:write")
      ? [
          command("Change the preview clock", "clock", () => show("clock")),
          {
            ...command("Reset the preview", "undo", () => show("reset"), "delete changes, load the demo data"),
            isDestructive: true,
          },
        ]
      : []),
    command("Sign out", "x", () => void signOut()),
  ];
}
