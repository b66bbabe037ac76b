import type { Order } from "@order-operations-hub/sdk/api-types";
import { lazy, Suspense } from "react";
import { Button } from "../../ui/button.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { useCommands } from "../../ui/commands.ts";
import { formatCount } from "../../ui/format.ts";
import type { IconName } from "../../ui/icons.tsx";
import { Icon } from "../../ui/icons.tsx";
import type { MenuItem } from "../../ui/menu.tsx";
import { Menu } from "../../ui/menu.tsx";
import type { useOrderSelection } from "./order-selection.ts";
import { countOf, freeze, scopeText } from "./order-selection.ts";
import { loadPart } from "../../ui/load-part.ts";

/** Only needed with a selection, so not part of the first load. */
const PrintButton = lazy(
  loadPart(async () => ({ default: (await import("../documents/print-button.pick.tsx")).PrintButton })),
);

export type OrderTotal = { count: number; isCapped: boolean };

type Props = {
  rows: readonly Order[];
  /** Undefined while the list loads or is counted. */
  total: OrderTotal | undefined;
  selected: ReturnType<typeof useOrderSelection>;
  onSelectAll(): void;
  onEdit(): void;
  /** Opens the preview of one step for the selected orders. */
  onStep(type: string): void;
  editReason: string | undefined;
  presets: MenuItem[];
  onCopy(): void;
  isBusy: boolean;
};

/** Pipelines of one step. */
const quickSteps: ReadonlyArray<{ type: string; label: string; icon: IconName; keys?: string }> = [
  { type: "add_tags", label: "Tag", icon: "tag", keys: "t" },
  { type: "hold", label: "Hold", icon: "pause", keys: "h" },
  { type: "release_hold", label: "Release", icon: "play" },
  { type: "assign_user", label: "Assign", icon: "user" },
  { type: "cancel", label: "Cancel orders", icon: "x" },
];

/** Bar above the list: the selection with its scope, and the bulk actions. */
export function BulkBar({
  rows,
  total,
  selected,
  onSelectAll,
  onEdit,
  onStep,
  editReason,
  presets,
  onCopy,
  isBusy,
}: Props) {
  const { selection } = selected;
  const count = countOf(selection);
  const isAll = selection.kind === "all";
  const areShownAll =
    selection.kind === "some" && rows.length === count && count > 0 && rows.every(({ id }) => selection.ids.has(id));
  const matching = total && `${formatCount(total.count)}${total.isCapped ? "+" : ""}`;
  const hasMore = total === undefined || total.isCapped || total.count > count;
  useCommands(
    count === 0 || editReason
      ? []
      : quickSteps.map(({ type, label, icon }) => ({
          group: `${formatCount(count)} selected ${count === 1 ? "order" : "orders"}`,
          name: label,
          icon,
          isDestructive: type === "cancel",
          run: () => onStep(type),
        })),
  );
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
        onChange={() => (areShownAll || isAll ? selected.clear() : selected.selectShown())}
      />
      <span aria-live="polite">
        {count === 0
          ? total
            ? `${matching} ${total.count === 1 && !total.isCapped ? "order matches" : "orders match"}`
            : "Loading orders…"
          : areShownAll
            ? `${formatCount(count)} selected, all that are shown`
            : scopeText(selection, rows)}
      </span>
      {!isAll && count > 0 && hasMore && (
        <button type="button" onClick={onSelectAll} className="min-h-6 font-medium underline underline-offset-2">
          {matching ? `Select all ${matching}` : "Select all that match"}
        </button>
      )}
      <span className="flex-1" />
      {count > 0 && <QuickSteps isBusy={isBusy} editReason={editReason} onStep={onStep} />}
      {count > 0 && (
        <Suspense>
          <PrintButton
            kind="quiet"
            source={async () => ({ selectionId: await freeze(selection) })}
            kinds={["packing_slips", "pick_list", "labels", "manifest"]}
            label="Print"
            isCompact
          />
        </Suspense>
      )}
      {count > 0 && (
        <Menu
          kind="quiet"
          label="…"
          name="More actions"
          items={[
            { label: "Add a note", keys: "n", disabledReason: editReason, onPick: () => onStep("add_note") },
            { label: "Copy as a table", keys: "$mod+c", onPick: onCopy },
            { label: "Clear selection", keys: "Escape", onPick: selected.clear },
            ...presets,
          ]}
        />
      )}
      <Button
        keys="e"
        isBusy={isBusy}
        onClick={onEdit}
        disabledReason={editReason ?? (count === 0 && "Select orders first: x, or a checkbox.")}
      >
        <Icon name="pencil" /> Bulk edit
      </Button>
      {count > 0 && (
        <Button kind="primary" keys="b" isBusy={isBusy} disabledReason={editReason} onClick={() => onStep("buy_label")}>
          {count === 1 ? "Buy label" : `Buy ${formatCount(count)} labels`}
        </Button>
      )}
    </div>
  );
}

function QuickSteps({ isBusy, editReason, onStep }: Pick<Props, "isBusy" | "editReason" | "onStep">) {
  return quickSteps.map(({ type, label, icon, keys }) => (
    <Button
      key={type}
      kind="quiet"
      aria-label={label}
      aria-keyshortcuts={keys}
      isBusy={isBusy}
      disabledReason={editReason}
      onClick={() => onStep(type)}
      className="px-2 text-accent-text!"
    >
      <Icon name={icon} /> <span className="max-xl:hidden">{label}</span>
    </Button>
  ));
}
