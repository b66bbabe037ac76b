import { Dialog as Base } from "@base-ui/react/dialog";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import type { KeyboardEvent } from "react";
import { useDeferredValue, useId, useState, useSyncExternalStore } from "react";
import { searchQuery } from "../features/search/search.queries.ts";
import { cx } from "../ui/class-names.ts";
import { currentHotkeys, subscribeToHotkeys } from "../ui/hotkeys.ts";
import { sentence, words } from "../ui/format.ts";
import { Kbd } from "../ui/kbd.tsx";
import { nameRank } from "../ui/name-rank.ts";
import { paths } from "./paths.ts";

type Entry = { group: string; name: string; note?: string; keys?: string; run(): void };

export function Palette({ onClose }: { onClose(): void }) {
  return (
    <Base.Root open onOpenChange={(open) => !open && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-[#0a0c10]/40" />
        <Base.Popup
          aria-label="Search or act"
          className="fixed top-[10vh] left-1/2 z-40 w-[calc(100vw-24px)] max-w-[600px] -translate-x-1/2 overflow-hidden rounded-xl border border-line bg-panel shadow-pop"
        >
          <Finder onClose={onClose} />
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

function Finder({ onClose }: { onClose(): void }) {
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const id = useId();
  const entries = useEntries(typed);
  const current = Math.min(at, entries.length - 1);
  const pick = (entry: Entry | undefined): void => {
    if (!entry) return;
    onClose();
    entry.run();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const moves: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const move = moves[event.key];
    if (move !== undefined) {
      event.preventDefault();
      setAt(Math.max(0, Math.min(entries.length - 1, current + move)));
    } else if (event.key === "Enter") {
      event.preventDefault();
      pick(entries[current]);
    }
  };
  return (
    <>
      <input
        role="combobox"
        aria-label="Order number, page or action"
        aria-expanded
        aria-controls={id}
        aria-activedescendant={entries[current] ? `${id}-${current}` : undefined}
        placeholder="Order number, tracking number, page or action"
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
        className="h-11 w-full border-b border-line bg-transparent px-4 text-lg outline-none"
      />
      <div id={id} role="listbox" aria-label="Found" className="max-h-[50vh] overflow-y-auto p-1.5">
        {entries.length === 0 && (
          <p className="px-2.5 py-3 text-muted">Nothing found. Order numbers may be typed in part.</p>
        )}
        {entries.map((entry, index) => (
          // The field handles the keys.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events
          <div
            key={`${entry.group} ${entry.name}`}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === current}
            onClick={() => pick(entry)}
            onMouseMove={() => setAt(index)}
            className={cx(
              "flex min-h-8 items-center gap-3 rounded-md px-2.5",
              index === current && "bg-accent-soft text-accent-text",
            )}
          >
            <span className="w-16 shrink-0 text-sm text-faint">{entry.group}</span>
            <span className="flex-1 truncate">{entry.name}</span>
            {entry.note && <span className="truncate text-sm text-faint">{entry.note}</span>}
            {entry.keys && <Kbd keys={entry.keys} />}
          </div>
        ))}
      </div>
    </>
  );
}

const pages: Array<[name: string, href: string]> = [
  ["Overview", paths.overview()],
  ["Orders", paths.orders()],
  ["Operations", paths.operations()],
  ["Presets", paths.presets()],
  ["Exceptions", paths.exceptions()],
  ["Rates", paths.rates()],
  ["New rate comparison", paths.newRate()],
  ["Carriers", paths.carriers()],
  ["Bridges", paths.bridges()],
  ["Transformations", paths.transformations()],
  ["Shipments", paths.shipments()],
  ["Labels", paths.labels()],
  ["Pickups", paths.pickups()],
  ["Schedules", paths.schedules()],
  ["Automations", paths.automations()],
  ["Webhooks", paths.webhooks()],
  ["Tasks", paths.tasks()],
  ["Condition sets", paths.conditionSets()],
  ["Locations", paths.locations()],
  ["Keys", paths.keys()],
  ["Users", paths.users()],
  ["Organizations", paths.organizations()],
  ["Audit", paths.audit()],
  ["Requests", paths.requests()],
  ["Settings", paths.settings()],
  ["My account", paths.account()],
];

/** Record types that have a page. */
const pathOf: Record<string, (hit: { id: string; title: string }) => string> = {
  order: ({ title }) => paths.order(title),
  operation_run: ({ id }) => paths.run(id),
  rate_comparison: ({ id }) => paths.rate(id),
  carrier_account: ({ id }) => paths.carrier(id),
  bridge: ({ id }) => paths.bridge(id),
  transformation: ({ id }) => paths.transformation(id),
  shipment: ({ id }) => paths.shipment(id),
  pickup: ({ id }) => paths.pickups({ open: id }),
  schedule: ({ id }) => paths.schedule(id),
  execution: ({ id }) => paths.task(id),
  condition_set: ({ id }) => paths.conditionSet(id),
  location: ({ id }) => paths.location(id),
  user: ({ id }) => paths.user(id),
};

function useEntries(typed: string): Entry[] {
  const router = useRouter();
  const search = useDeferredValue(typed.trim());
  const { data } = useQuery({ ...searchQuery(search), enabled: search.length >= 2 });
  const hotkeys = useSyncExternalStore(subscribeToHotkeys, currentHotkeys);
  const matches = (name: string): boolean => name.toLowerCase().includes(typed.trim().toLowerCase());
  const acts = hotkeys
    .filter(({ name, keys }) => matches(name) && keys !== "$mod+k" && !keys.startsWith("g "))
    .map(({ name, keys, run }): Entry => ({ group: "Do", name, keys, run: () => run(new KeyboardEvent("keydown")) }));
  const records = (data ?? []).flatMap((hit): Entry[] => {
    const href = pathOf[hit.kind]?.(hit);
    if (!href) return [];
    const note = hit.detail === null ? {} : { note: words(hit.detail) };
    return [{ group: sentence(hit.kind), name: hit.title, ...note, run: () => router.history.push(href) }];
  });
  const pageEntries = pages
    .filter(([name]) => matches(name))
    .map(([name, href]): Entry => ({ group: "Go to", name, run: () => router.history.push(href) }));
  const fit = ({ name }: Entry): number => (typed.trim() ? (nameRank(name, typed) ?? 9) : 0);
  return [...records, ...[...acts, ...pageEntries].toSorted((one, other) => fit(one) - fit(other))];
}
