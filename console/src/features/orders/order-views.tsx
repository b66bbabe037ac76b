import { useMutation, useQueries, useQuery } from "@tanstack/react-query";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { useCreateForm } from "../../live/use-create-form.ts";
import { Checkbox } from "../../ui/checkbox.tsx";
import type { Search } from "../../ui/search-params.ts";
import { FormPopover } from "../../ui/submit-form.tsx";
import { TabLinks } from "../../ui/tabs.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast.tsx";
import { useClock } from "../../ui/zone.tsx";
import { viewsQuery } from "../views/views.queries.ts";
import { filterOf, filterSearch, searchOf } from "./order-filters.pick.ts";
import { orderCountsQuery } from "./orders.queries.ts";

type OrderView = { name: string; search: Search };

const builtIn: readonly OrderView[] = [
  { name: "All", search: {} },
  { name: "Ready", search: { status: "ready" } },
  { name: "Late", search: { shipByTo: "now", status: ["new", "ready", "sent", "partially_shipped"] } },
  { name: "On hold", search: { status: "on_hold" } },
  { name: "To review", search: { status: "review_required" } },
];

const keyOf = (search: Search): string =>
  JSON.stringify(Object.entries(filterSearch(search)).toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** Saved views as tabs. Further filters are in the address and can be saved as a new view. */
export function OrderViews({ search }: { search: Search }) {
  const clock = useClock();
  const { data: saved } = useQuery(viewsQuery("orders"));
  const own = (saved ?? []).map((view) => ({ ...view, search: viewSearch(view.settings) }));
  const views: OrderView[] = [...builtIn, ...own];
  const counts = useQueries({ queries: views.map((view) => orderCountsQuery(filterOf(view.search, clock))) });
  const here = keyOf(search);
  const tabs = views.map((view, at) => ({
    href: paths.orders(view.search),
    label: view.name,
    count: counts[at]?.data?.total,
    isCapped: counts[at]?.data?.isCapped,
    isOn: keyOf(view.search) === here,
  }));
  const drop = useMutation({
    mutationFn: (id: string) => hub.call("DELETE /api/v1/views/{id}", { path: { id } }),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ["views"] }),
    onError: (error) => showToast("The view could not be removed", { text: error.message, tone: "bad" }),
  });
  const current = own.find((view) => view.isOwn && keyOf(view.search) === here);
  return (
    <TabLinks label="Views" tabs={tabs}>
      {!tabs.some(({ isOn }) => isOn) && <SaveView filter={filterSearch(search)} />}
      {current && (
        <button
          type="button"
          className="-mb-px min-h-7 px-2.5 text-muted hover:text-bad"
          onClick={() => drop.mutate(current.id)}
        >
          Remove this view
        </button>
      )}
    </TabLinks>
  );
}

/** Views have a `filter`; the settings of older views are the filter itself. */
function viewSearch(settings: Record<string, unknown>): Search {
  const { filter } = settings;
  return typeof filter === "object" && filter !== null ? searchOf(filter) : (settings as Search);
}

function SaveView({ filter }: { filter: Search }) {
  const form = useCreateForm({
    start: { name: "", isShared: false },
    create: ({ name, isShared }) =>
      hub.call("POST /api/v1/views", { body: { list: "orders", name: name.trim(), settings: { filter }, isShared } }),
    refetch: ["views"],
    onCreated: ({ name }) => showToast(`View ${name} saved`),
  });
  return (
    <FormPopover
      title="Save these filters as a view"
      triggerClass="-mb-px min-h-7 px-2.5 text-muted hover:text-text"
      trigger="+ view"
      submit="Save"
      form={form}
    >
      <TextField label="Name of the view" {...form.field("name")} maxLength={60} required />
      <Checkbox
        label="Share with the organization"
        isChecked={form.draft.isShared}
        onChange={(isShared) => form.set({ isShared })}
      />
    </FormPopover>
  );
}
