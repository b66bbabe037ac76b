import type { Order, OrderFilter } from "@order-operations-hub/sdk/api-types";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { formatCount, plural } from "../../ui/format.ts";
import type { MenuItem } from "../../ui/menu.tsx";
import { Menu } from "../../ui/menu.tsx";
import type { useOrderSelection } from "./order-selection.ts";
import { countOf, scopeText } from "./order-selection.ts";

export type OrderTotal = { count: number; isCapped: boolean };

type Props = {
  rows: readonly Order[];
  /** Undefined while the list loads or is counted. */
  total: OrderTotal | undefined;
  picked: ReturnType<typeof useOrderSelection>;
  filter: OrderFilter;
  onSelectAll(): void;
  onOperate(): void;
  operateReason: string | undefined;
  presets: MenuItem[];
  isBusy: boolean;
};

/** Bar above the list: the selection with its scope, and the bulk actions. */
export function BulkBar({ rows, total, picked, onSelectAll, onOperate, operateReason, presets, isBusy }: Props) {
  const { selection } = picked;
  const count = countOf(selection);
  const isAll = selection.kind === "all";
  const areShownAll =
    selection.kind === "some" && rows.length === count && count > 0 && rows.every(({ id }) => selection.ids.has(id));
  const matching = total && `${formatCount(total.count)}${total.isCapped ? "+" : ""}`;
  const hasMore = total === undefined || total.isCapped || total.count > count;
  return (
    <div
      role="region"
      aria-label="Selection"
      className={`flex min-h-10 shrink-0 flex-wrap items-center gap-x-2.5 gap-y-1 border-b border-line px-2.5 py-1 ${count > 0 ? "bg-accent-soft text-accent-text" : "text-muted"}`}
    >
      <Checkbox
        label={areShownAll || isAll ? "Select none" : "Select all that are shown"}
        isLabelHidden
        isChecked={areShownAll || (isAll && selection.except.size === 0)}
        isMixed={count > 0 && !areShownAll && !(isAll && selection.except.size === 0)}
        onChange={() => (areShownAll || isAll ? picked.clear() : picked.selectShown())}
      />
      <span aria-live="polite">
        {count === 0
          ? total
            ? `${matching} ${total.count === 1 ? "order matches" : "orders match"}, none picked.`
            : "Loading orders…"
          : areShownAll
            ? `All ${plural(count, "order")} shown picked.`
            : `${scopeText(selection, rows)}.`}
      </span>
      {!isAll && count > 0 && hasMore && (
        <button type="button" onClick={onSelectAll} className="min-h-6 font-medium underline underline-offset-2">
          {matching ? `Select all ${matching} that match` : "Select all that match"}
        </button>
      )}
      {count > 0 && (
        <Button kind="quiet" onClick={picked.clear}>
          Clear
        </Button>
      )}
      <span className="flex-1" />
      <Button
        kind="primary"
        keys="e"
        isBusy={isBusy}
        onClick={onOperate}
        disabledReason={operateReason ?? (count === 0 && "Pick orders first: x, or a tick.")}
      >
        Operate
      </Button>
      <Menu label="Presets" items={presets} empty="No preset yet. Build a pipeline and save it." />
    </div>
  );
}
