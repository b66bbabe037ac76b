import { useQueries } from "@tanstack/react-query";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { usePreferences } from "../../live/preferences.ts";
import { Button } from "../../ui/button.tsx";
import { Popover } from "../../ui/popover.tsx";
import type { Search } from "../../ui/search-params.ts";
import { TabLinks } from "../../ui/tabs.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { tell } from "../../ui/toast.tsx";
import { useClock } from "../../ui/zone.tsx";
import { filterOf, filterSearch } from "./order-filters.ts";
import { orderTotalQuery } from "./orders.queries.ts";

export type OrderView = { name: string; search: Search };

const builtIn: readonly OrderView[] = [
  { name: "All", search: {} },
  { name: "Ready", search: { status: "ready" } },
  { name: "Late", search: { shipByTo: "now", status: ["new", "ready", "sent", "partially_shipped"] } },
  { name: "On hold", search: { status: "on_hold" } },
  { name: "To review", search: { status: "review_required" } },
];

const keyOf = (search: Search): string =>
  JSON.stringify(Object.entries(filterSearch(search)).toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** Filters that have a name. What is typed on top of one is in the address, and can get a name of its own. */
export function OrderViews({ search }: { search: Search }) {
  const clock = useClock();
  const { preferences, set } = usePreferences();
  const views = [...builtIn, ...preferences.orderViews];
  const counts = useQueries({ queries: views.map((view) => orderTotalQuery(filterOf(view.search, clock))) });
  const here = keyOf(search);
  const tabs = views.map((view, at) => ({
    href: paths.orders(view.search),
    label: view.name,
    count: counts[at]?.data?.total,
    isCapped: counts[at]?.data?.isCapped,
    isOn: keyOf(view.search) === here,
  }));
  const isKnown = tabs.some(({ isOn }) => isOn);
  const own = preferences.orderViews.find((view) => keyOf(view.search) === here);
  return (
    <TabLinks label="Views" tabs={tabs}>
      {!isKnown && (
        <SaveView
          onSave={(name) => {
            set({
              orderViews: [
                ...preferences.orderViews.filter((view) => view.name !== name),
                { name, search: filterSearch(search) },
              ],
            });
            tell(`View ${name} saved`);
          }}
        />
      )}
      {own && (
        <button
          type="button"
          className="-mb-px min-h-7 px-2.5 text-muted hover:text-bad"
          onClick={() => {
            set({ orderViews: preferences.orderViews.filter((view) => view !== own) });
            tell(`View ${own.name} removed`);
          }}
        >
          Remove this view
        </button>
      )}
    </TabLinks>
  );
}

function SaveView({ onSave }: { onSave(name: string): void }) {
  const [name, setName] = useState("");
  return (
    <Popover
      title="Save these filters as a view"
      triggerClass="-mb-px min-h-7 px-2.5 text-muted hover:text-text"
      trigger="+ view"
    >
      {(close) => (
        <form
          className="flex flex-col gap-2.5"
          onSubmit={(event) => {
            event.preventDefault();
            if (!name.trim()) return;
            onSave(name.trim());
            close();
          }}
        >
          <TextField label="Name of the view" value={name} onChange={setName} maxLength={60} required />
          <Button kind="primary" type="submit">
            Save
          </Button>
        </form>
      )}
    </Popover>
  );
}
