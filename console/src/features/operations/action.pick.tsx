import type { OperationAction } from "@order-operations-hub/sdk/api-types";
import { useEffect, useRef, useState } from "react";
import { Badge } from "../../ui/badge.tsx";
import { Skeleton } from "../../ui/card.tsx";
import { cx } from "../../ui/class-names.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { sentence } from "../../ui/format.ts";
import { PluginMark } from "../../ui/plugin-mark.tsx";
import { inputClass } from "../../ui/text-field.tsx";
import { findActions } from "./action-search.ts";

type Props = {
  catalog: readonly OperationAction[];
  isOpen: boolean;
  /** Element that gets focus when the dialog closes; null: the one that had it before. */
  focusAfter(): HTMLElement | null;
  onClose(): void;
  onPick(action: OperationAction): void;
};

/** All actions by group. An unavailable one shows the reason. */
export function ActionPick({ catalog, isOpen, focusAfter, onClose, onPick }: Props) {
  return (
    <Dialog title="Add step" isOpen={isOpen} onClose={onClose} focusAfter={focusAfter} isWide>
      <Picker catalog={catalog} onPick={onPick} />
    </Dialog>
  );
}

function Picker({ catalog, onPick }: Pick<Props, "catalog" | "onPick">) {
  const [typed, setTyped] = useState("");
  const { found, first } = findActions(catalog, typed);
  const groups = Map.groupBy(found, (action) => action.group);
  const hasMentions = typed.trim() !== "" && found.length > 0 && !first;
  // Enter can come before the list does: then the action is picked as soon as it is there.
  const isEntered = useRef(false);
  const isLoading = catalog.length === 0;
  useEffect(() => {
    if (!isEntered.current || !first) return;
    isEntered.current = false;
    onPick(first);
  }, [first, onPick]);
  return (
    <>
      <input
        aria-label="Find an action"
        placeholder="Find an action"
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          isEntered.current = false;
        }}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          if (first) onPick(first);
          else isEntered.current = isLoading;
        }}
        className={cx(inputClass, "mb-2")}
      />
      {hasMentions && (
        <p className="mb-2 text-muted">
          No available action has this name. These actions mention it: choose one with Tab or the mouse.
        </p>
      )}
      {[...groups].map(([group, actions]) => (
        <section key={group} className="mb-2" aria-label={sentence(group)}>
          <h3 className="mb-0.5 text-sm font-medium text-faint">{sentence(group)}</h3>
          <ul className="grid gap-x-2 sm:grid-cols-2">
            {actions.map((action) => (
              <li key={action.type}>
                <button
                  type="button"
                  aria-disabled={!action.available}
                  onClick={() => action.available && onPick(action)}
                  className={cx(
                    "flex w-full flex-col rounded-md px-2 py-1 text-start hover:bg-accent-soft",
                    !action.available && "opacity-60",
                    action === first && "bg-accent-soft",
                  )}
                >
                  <span className="flex items-center gap-1.5 font-medium">
                    {action.title}
                    {action.effect === "external" && <Badge tone="warn">External</Badge>}
                    <PluginMark plugin={action.plugin} />
                  </span>
                  <span className="text-sm text-muted">
                    {action.available ? action.description : action.unavailable_reason}
                  </span>
                </button>
              </li>
            ))}
          </ul>
        </section>
      ))}
      {isLoading ? (
        <Skeleton rows={8} />
      ) : (
        found.length === 0 && <p className="py-4 text-center text-muted">No actions match.</p>
      )}
    </>
  );
}
