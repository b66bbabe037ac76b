import type { Order, OrderFilter } from "@order-operations-hub/sdk/api-types";
import { useState } from "react";
import { hub } from "../../live/hub.ts";
import { formatCount, plural } from "../../ui/format.ts";
import { useLatest } from "../../ui/use-latest.ts";

/** Selected rows, or everything that matched a filter at one moment except rows that were unticked. */
export type OrderSelection =
  | { kind: "some"; ids: ReadonlySet<string> }
  | { kind: "all"; id: string; filter: OrderFilter; matched: number; except: ReadonlySet<string> };

const none: OrderSelection = { kind: "some", ids: new Set() };

export function countOf(selection: OrderSelection): number {
  return selection.kind === "some" ? selection.ids.size : selection.matched - selection.except.size;
}

/** Count with its scope. A bare number is how people change orders they did not mean to. */
export function scopeText(selection: OrderSelection, rows: readonly Order[]): string {
  if (selection.kind === "some") {
    const shown = rows.filter(({ id }) => selection.ids.has(id)).length;
    const hidden = selection.ids.size - shown;
    return `${formatCount(selection.ids.size)} selected${hidden > 0 ? `, ${formatCount(hidden)} not in the rows shown` : ""}`;
  }
  const left = selection.except.size > 0 ? `, except ${formatCount(selection.except.size)}` : "";
  return `All ${plural(selection.matched, "order")} that match selected${left}`;
}

/** Freezes the selection in the hub, so that the preflight and the run see the same orders. */
export async function freeze(selection: OrderSelection): Promise<string> {
  if (selection.kind === "all" && selection.except.size === 0) return selection.id;
  const body =
    selection.kind === "some"
      ? { refs: [...selection.ids] }
      : { filter: selection.filter, exclude_order_ids: [...selection.except] };
  return (await hub.call("POST /api/v1/operations/selections", { body })).id;
}

/**
 * Selection of one list. `list` identifies its filter: another filter clears the selection. `rows` are the selectable rows, none
 * while the previous list is still shown.
 */
export function useOrderSelection(rows: readonly Order[], list: string) {
  const [kept, setKept] = useState({ list, selection: none });
  const selection = kept.list === list ? kept.selection : none;
  const setSelection = (next: OrderSelection | ((before: OrderSelection) => OrderSelection)): void =>
    setKept((before) => {
      const current = before.list === list ? before.selection : none;
      return { list, selection: typeof next === "function" ? next(current) : next };
    });
  const latest = useLatest(list);
  const [anchor, setAnchor] = useState(0);
  const isSelected = (id: string): boolean =>
    selection.kind === "some" ? selection.ids.has(id) : !selection.except.has(id);
  const put = (ids: readonly string[], isOn: boolean): void =>
    setSelection((before) => {
      if (before.kind === "some") {
        const next = new Set(before.ids);
        for (const id of ids)
          if (isOn) next.add(id);
          else next.delete(id);
        return { kind: "some", ids: next };
      }
      const except = new Set(before.except);
      for (const id of ids)
        if (isOn) except.delete(id);
        else except.add(id);
      return { ...before, except };
    });
  return {
    selection,
    isSelected,
    clear: () => setSelection(none),
    /** Toggles one row, or the range from the last selected row. */
    toggle(at: number, isRange: boolean) {
      const row = rows[at];
      if (!row) return;
      const isOn = isRange ? true : !isSelected(row.id);
      const [from, to] = isRange ? [Math.min(anchor, at), Math.max(anchor, at)] : [at, at];
      put(
        rows.slice(from, to + 1).map(({ id }) => id),
        isOn,
      );
      setAnchor(at);
    },
    selectShown() {
      if (rows.length > 0) setSelection({ kind: "some", ids: new Set(rows.map(({ id }) => id)) });
    },
    async selectAllMatching(filter: OrderFilter) {
      const { id, matched } = await hub.call("POST /api/v1/operations/selections", { body: { filter } });
      // Ignore the result when the list has changed meanwhile.
      if (latest.current === list) setSelection({ kind: "all", id, filter, matched, except: new Set() });
    },
  };
}
