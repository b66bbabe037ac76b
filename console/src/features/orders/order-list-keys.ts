import type { Order, OrderFilter } from "@order-operations-hub/sdk/api-types";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { paths } from "../../app/paths.ts";
import { missingScope, useMe } from "../../live/me.ts";
import { queryClient } from "../../live/hub.ts";
import { useHotkeys } from "../../ui/hotkeys.ts";
import { presetsQuery } from "../operations/operations.queries.ts";
import type { useOrderSelection } from "./order-selection.ts";
import { countOf, freeze } from "./order-selection.ts";

/** What the pipeline begins with. */
type Start = { preset?: string; step?: string };

/** The keys of presets whose names are not known yet. */
const anyKeyed = [1, 2, 3, 4, 5, 6, 7, 8, 9].map((hotkey) => ({ name: `on Shift ${hotkey}`, hotkey }));

/** The preset of a number key, also when it is pressed before the presets have loaded. */
async function startWithKey(hotkey: number): Promise<Start | undefined> {
  const found = (await queryClient.ensureQueryData(presetsQuery)).find((preset) => preset.hotkey === hotkey);
  return found && { preset: found.id };
}

/** Bulk actions on the selection: a new pipeline or a preset. */
export function useActs(rows: readonly Order[], selected: ReturnType<typeof useOrderSelection>, cursor: number) {
  const router = useRouter();
  const reason = missingScope(useMe(), "operations:run");
  const { data: presets } = useQuery(presetsQuery);
  const begin = useMutation({
    mutationFn: async (given: Start | number) => {
      const start = typeof given === "number" ? await startWithKey(given) : given;
      if (!start) return undefined;
      const nothing = countOf(selected.selection) === 0;
      const row = rows[cursor];
      const selection = nothing && row ? ({ kind: "some", ids: new Set([row.id]) } as const) : selected.selection;
      return { selection: await freeze(selection), ...start };
    },
    onSuccess: (query) => query && router.history.push(paths.newOperation(query)),
  });
  const isPossible = countOf(selected.selection) > 0 || cursor >= 0;
  const edit = (start: Start | number): void => {
    if (!reason && isPossible && !begin.isPending) begin.mutate(start);
  };
  return {
    edit,
    reason,
    error: begin.error,
    isBusy: begin.isPending,
    keyed: presets?.flatMap(({ name, hotkey }) => (hotkey ? [{ name, hotkey }] : [])) ?? anyKeyed,
    presets: (presets ?? []).map((preset) => ({
      label: preset.name,
      note: preset.description,
      ...(preset.hotkey ? { keys: `Shift+${preset.hotkey}` } : {}),
      disabledReason: reason ?? (!isPossible && "Select orders first."),
      onPick: () => edit({ preset: preset.id }),
    })),
  };
}

type Keys = {
  rows: readonly Order[];
  cursor: number;
  setCursor(at: number): void;
  selected: ReturnType<typeof useOrderSelection>;
  filter: OrderFilter;
  open: string | undefined;
  show(order: Order | undefined): void;
  searchBox: { current: HTMLInputElement | null };
  acts: ReturnType<typeof useActs>;
};

const quickKeys = [
  { keys: "t", name: "Tag the selected orders", step: "add_tags" },
  { keys: "h", name: "Hold the selected orders", step: "hold" },
  { keys: "n", name: "Add a note to the selected orders", step: "add_note" },
  { keys: "b", name: "Buy labels for the selected orders", step: "buy_label" },
];

export function useGridKeys({ rows, cursor, setCursor, selected, filter, open, show, searchBox, acts }: Keys): void {
  const move = (by: number): void => {
    if (rows.length === 0) return;
    const next = Math.max(0, Math.min(rows.length - 1, cursor + by));
    setCursor(next);
    if (open) show(rows[next]);
  };
  const isAllShown =
    selected.selection.kind === "some" && rows.length > 0 && rows.every(({ id }) => selected.isSelected(id));
  useHotkeys([
    { keys: "/", name: "Search orders", run: () => searchBox.current?.focus() },
    { keys: "j", name: "Next order", run: () => move(1) },
    { keys: "k", name: "Previous order", run: () => move(-1) },
    { keys: "]", name: "Show the next order", run: () => move(1) },
    { keys: "[", name: "Show the previous order", run: () => move(-1) },
    { keys: "x", name: "Select or unselect this order", run: () => selected.toggle(Math.max(0, cursor), false) },
    { keys: "Shift+x", name: "Select up to this order", run: () => selected.toggle(Math.max(0, cursor), true) },
    {
      keys: "$mod+a",
      name: "Select all that are shown; again: all that match",
      run: () => (isAllShown ? void selected.selectAllMatching(filter) : selected.selectShown()),
    },
    { keys: "Enter", name: "Open this order", run: () => rows[cursor] && show(rows[cursor]) },
    { keys: "e", name: "Bulk edit the selected orders", run: () => acts.edit({}) },
    // An open order has these keys itself.
    ...(open ? [] : quickKeys.map(({ keys, name, step }) => ({ keys, name, run: () => acts.edit({ step }) }))),
    { keys: "Escape", name: "Close, or clear the selection", run: () => (open ? show(undefined) : selected.clear()) },
    ...acts.keyed.map(({ name, hotkey }) => ({
      keys: `Shift+Digit${hotkey}`,
      name: `Preset ${name}`,
      run: () => acts.edit(hotkey),
    })),
  ]);
}
