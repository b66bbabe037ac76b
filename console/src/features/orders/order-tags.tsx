import type { Order } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { useId, useRef, useState } from "react";
import { useHotkeys } from "../../ui/hotkeys.ts";
import { Icon } from "../../ui/icons.tsx";
import { Kbd } from "../../ui/kbd.tsx";
import { ProblemBox } from "../../ui/problem-box.tsx";
import { useDebounced } from "../../ui/use-debounced.ts";
import { useEditRefusal } from "./edit-card.tsx";
import { OrderCard } from "./order-card.tsx";
import { tagsQuery } from "./orders.queries.ts";
import { useQuickAct } from "./quick-act.ts";

/** Tags as chips, with a field for another one. Each change is a run of one step, so that it can be undone. */
export function OrderTags({ order }: { order: Order }) {
  const [typed, setTyped] = useState("");
  const [isAsked, setAsked] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const suggestionsId = useId();
  const { data: known } = useQuery({ ...tagsQuery(useDebounced(typed.trim())), enabled: isAsked });
  const act = useQuickAct(order.id);
  const refused = useEditRefusal() ?? act.refused;
  useHotkeys([{ keys: "t", name: "Add a tag", run: () => field.current?.focus() }]);
  const add = (): void => {
    const tags = [...new Set(typed.split(",").map((tag) => tag.trim()))].filter(
      (tag) => tag && !order.tags.includes(tag),
    );
    setTyped("");
    if (tags.length > 0) act.run({ type: "add_tags", params: { tags } }, `Added ${tags.join(", ")}`);
  };
  return (
    <OrderCard title="Tags">
      <div className="flex flex-wrap items-center gap-1.5">
        {order.tags.map((tag) => (
          <span key={tag} className="inline-flex h-6 items-center rounded-md border border-line-strong ps-1.5 text-sm">
            {tag}
            {refused ? (
              <span className="pe-1.5" />
            ) : (
              <button
                type="button"
                aria-label={`Remove tag ${tag}`}
                onClick={() => act.run({ type: "remove_tags", params: { tags: [tag] } }, `Removed ${tag}`)}
                className="grid size-6 place-items-center rounded-md text-muted hover:bg-skip-soft"
              >
                <Icon name="x" size={10} />
              </button>
            )}
          </span>
        ))}
        {order.tags.length === 0 && refused && <span className="text-muted">No tags</span>}
        {!refused && (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              add();
            }}
            className="inline-flex h-6 items-center gap-1 rounded-md border border-dashed border-line-strong px-1.5 text-sm text-muted"
          >
            <Icon name="plus" size={10} />
            <input
              ref={field}
              aria-label="Add a tag"
              placeholder="Add tag"
              value={typed}
              maxLength={200}
              onChange={(event) => setTyped(event.target.value)}
              onKeyDown={(event) => {
                if (event.key !== "Escape") return;
                // The key leaves the field, not the panel around it.
                event.preventDefault();
                event.stopPropagation();
                field.current?.blur();
              }}
              list={suggestionsId}
              onFocus={() => setAsked(true)}
              autoComplete="off"
              className="w-20 min-w-0 bg-transparent text-text outline-none placeholder:text-muted"
            />
            <datalist id={suggestionsId}>
              {(known ?? [])
                .filter((tag) => !order.tags.includes(tag))
                .map((tag) => (
                  <option key={tag} value={tag}>
                    {tag}
                  </option>
                ))}
            </datalist>
            <Kbd keys="t" />
          </form>
        )}
      </div>
      {act.error && <ProblemBox error={act.error} />}
    </OrderCard>
  );
}
