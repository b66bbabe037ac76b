import { useMutation } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { paths } from "../../app/paths.ts";
import { hub, queryClient } from "../../live/hub.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { usePreferences } from "../../live/preferences.ts";
import { useCreateForm } from "../../live/use-create-form.ts";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Confirm } from "../../ui/confirm.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Menu } from "../../ui/menu.tsx";
import type { Search } from "../../ui/search-params.ts";
import { oneOf } from "../../ui/search-params.ts";
import { FormPopover } from "../../ui/submit-form.tsx";
import { TextField } from "../../ui/text-field.tsx";
import { showToast } from "../../ui/toast.tsx";
import type { View } from "../views/views.queries.ts";
import { filterSearch } from "./order-filters.pick.ts";

/** What a view stores of an address. */
function settingsOf(search: Search): View["settings"] {
  const [sort, cols] = [oneOf(search["sort"]), oneOf(search["cols"])];
  return { filter: filterSearch(search), ...(sort ? { sort } : {}), ...(cols ? { columns: cols.split(",") } : {}) };
}

const renew = () => queryClient.invalidateQueries({ queryKey: ["views"] });

type Props = {
  view: View;
  /** All saved views, in the order of their tabs. */
  views: readonly View[];
  search: Search;
  /** The filters differ from those of the view. */
  isChanged: boolean;
};

/** Rename, change, share, move, delete the open view, or open the list with it. */
export function ViewMenu({ view, views, search, isChanged }: Props) {
  const isAdmin = missingScope(useMe(), "admin") === undefined;
  const refused = !view.isOwn && !isAdmin && "Only its creator or an administrator can change this view.";
  const { preferences, set } = usePreferences();
  const [asking, setAsking] = useState<"edit" | "delete">();
  const ids = views.map(({ id }) => id);
  const at = ids.indexOf(view.id);
  const move = (by: number): void => {
    const next = ids.toSpliced(at, 1).toSpliced(at + by, 0, view.id);
    set({ orderViews: next });
  };
  const isDefault = preferences.defaultOrderView === view.id;
  const save = useMutation({
    mutationFn: () => update(view, { settings: settingsOf(search) }),
    onSuccess: async () => {
      showToast(`View ${view.name} saved`);
      await renew();
    },
    onError: (error) => showToast("The view is not saved", { text: error.message, tone: "bad" }),
  });
  return (
    <>
      {isChanged && (
        <Button kind="quiet" isBusy={save.isPending} disabledReason={refused} onClick={() => save.mutate()}>
          Save changes
        </Button>
      )}
      <Menu
        kind="quiet"
        label={<Icon name="chevron-down" />}
        name={`Options of the view ${view.name}`}
        items={[
          { label: "Rename or share", disabledReason: refused, onPick: () => setAsking("edit") },
          { label: "Save filters, sorting and columns", disabledReason: refused, onPick: () => save.mutate() },
          {
            label: isDefault ? "Do not open first" : "Open first",
            note: isDefault ? "Orders opens with this view." : "Orders then opens with this view.",
            onPick: () => set({ defaultOrderView: isDefault ? undefined : view.id }),
          },
          { label: "Move left", disabledReason: at === 0 && "This is the first view.", onPick: () => move(-1) },
          {
            label: "Move right",
            disabledReason: at === ids.length - 1 && "This is the last view.",
            onPick: () => move(1),
          },
          { label: "Delete view", disabledReason: refused, onPick: () => setAsking("delete") },
        ]}
      />
      {asking === "edit" && <EditView view={view} onClose={() => setAsking(undefined)} />}
      {asking === "delete" && <DeleteView view={view} onClose={() => setAsking(undefined)} />}
    </>
  );
}

type Patch = { name?: string; isShared?: boolean; settings?: View["settings"] };

const update = ({ id, version }: View, body: Patch): Promise<View> =>
  hub.call("PATCH /api/v1/views/{id}", { path: { id }, ifMatch: version, body });

function EditView({ view, onClose }: { view: View; onClose(): void }) {
  const form = useCreateForm({
    start: { name: view.name, isShared: view.isShared },
    create: ({ name, isShared }) => update(view, { name: name.trim(), isShared }),
    refetch: ["views"],
    onCreated: ({ name }) => {
      showToast(`View ${name} saved`);
      onClose();
    },
  });
  return (
    <FormDialog title="Rename or share the view" submit="Save" form={form} onClose={onClose}>
      <ViewFields form={form} />
    </FormDialog>
  );
}

function DeleteView({ view, onClose }: { view: View; onClose(): void }) {
  const router = useRouter();
  const run = async (): Promise<void> => {
    await hub.call("DELETE /api/v1/views/{id}", { path: { id: view.id }, ifMatch: view.version });
    await renew();
    router.history.replace(paths.orders({ view: "all" }));
  };
  return (
    <Confirm title={`Delete the view ${view.name}?`} yes="Delete view" no="Cancel" run={run} onClose={onClose}>
      <p>
        {view.isShared
          ? "The view is deleted for everyone in the organization. No orders are deleted."
          : "No orders are deleted."}
      </p>
    </Confirm>
  );
}

type Draft = { name: string; isShared: boolean };

function ViewFields({ form }: { form: ReturnType<typeof useCreateForm<Draft, View>> }) {
  return (
    <>
      <TextField label="Name of the view" {...form.field("name")} maxLength={60} required />
      <Checkbox
        label="Share with the organization"
        isChecked={form.draft.isShared}
        onChange={(isShared) => form.set({ isShared })}
      />
    </>
  );
}

export function SaveView({ search }: { search: Search }) {
  const router = useRouter();
  const form = useCreateForm<Draft, View>({
    start: { name: "", isShared: false },
    create: ({ name, isShared }) =>
      hub.call("POST /api/v1/views", {
        body: { list: "orders", name: name.trim(), settings: settingsOf(search), isShared },
      }),
    refetch: ["views"],
    onCreated: ({ id, name }) => {
      showToast(`View ${name} saved`);
      router.history.replace(paths.orders({ ...search, view: id }));
    },
  });
  return (
    <FormPopover
      title="Save these filters as a view"
      triggerClass="-mb-px min-h-7 px-2.5 text-muted hover:text-text whitespace-nowrap"
      trigger="+ Save as view"
      submit="Save"
      form={form}
    >
      <ViewFields form={form} />
    </FormPopover>
  );
}
