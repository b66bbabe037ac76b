import { useState, useSyncExternalStore } from "react";
import { listExchanges, subscribeToExchanges } from "../live/exchanges.ts";
import { IconButton } from "../ui/button.tsx";
import { cx } from "../ui/class-names.ts";
import { Icon } from "../ui/icons.tsx";
import { DockErrors } from "./dock-errors.tsx";
import { DockEvents } from "./dock-events.tsx";
import { DockRequests } from "./dock-requests.tsx";

const views = { requests: "Requests", errors: "Errors", events: "Events" } as const;
type View = keyof typeof views;

/** Developer panel: requests of this tab, failures, and live events of the organization. */
export function Dock({ onClose }: { onClose(): void }) {
  const [view, setView] = useState<View>("requests");
  const exchanges = useSyncExternalStore(subscribeToExchanges, listExchanges);
  const failed = exchanges.filter(({ error }) => error);
  return (
    <section aria-label="Developer panel" className="flex h-60 shrink-0 flex-col border-t border-line bg-panel">
      <div className="flex items-center gap-1 border-b border-line px-3">
        <div role="tablist" aria-label="Developer panel" className="flex gap-0.5">
          {(Object.keys(views) as View[]).map((name) => (
            <button
              key={name}
              type="button"
              role="tab"
              id={`dock-${name}`}
              aria-selected={view === name}
              aria-controls="dock-view"
              onClick={() => setView(name)}
              className={cx(
                "-mb-px min-h-8 border-b-2 px-2.5",
                view === name ? "border-accent font-medium" : "border-transparent text-muted",
              )}
            >
              {views[name]}
              {name === "errors" && failed.length > 0 && <span className="ms-1.5 text-bad">{failed.length}</span>}
            </button>
          ))}
        </div>
        <span className="flex-1" />
        <IconButton label="Close the developer panel" onClick={onClose}>
          <Icon name="x" />
        </IconButton>
      </div>
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div
        id="dock-view"
        role="tabpanel"
        aria-labelledby={`dock-${view}`}
        tabIndex={0}
        className="min-h-0 flex-1 overflow-auto"
      >
        {view === "requests" && <DockRequests exchanges={exchanges} />}
        {view === "errors" && <DockErrors exchanges={failed} />}
        {view === "events" && <DockEvents />}
      </div>
    </section>
  );
}
