import { Dialog as Base } from "@base-ui/react/dialog";
import type { KeyboardEvent } from "react";
import { useEffect, useId, useState } from "react";
import { cx } from "../ui/class-names.ts";
import { Icon } from "../ui/icons.tsx";
import { Kbd } from "../ui/kbd.tsx";
import { useLatest } from "../ui/use-latest.ts";
import type { Entry } from "./palette-entries.ts";
import { useEntries } from "./palette-entries.ts";
import type { Overlay } from "./shell.tsx";

type Props = { onClose(): void; show(overlay: Overlay): void };

/** Finds actions for the selection, pages and views, records, and commands. */
export function Palette(props: Props) {
  return (
    <Base.Root open onOpenChange={(open) => !open && props.onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-[#0a0c10]/40" />
        <Base.Popup
          aria-label="Search or run a command"
          className="fixed top-[10vh] left-1/2 z-40 w-[calc(100vw-24px)] max-w-[640px] -translate-x-1/2 overflow-hidden rounded-xl border border-line bg-panel shadow-pop"
        >
          <Finder {...props} />
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

function Finder({ onClose, show }: Props) {
  const [typed, setTyped] = useState("");
  /** Undefined: the best match. */
  const [moved, setMoved] = useState<number>();
  const id = useId();
  const { entries, best, isSearching } = useEntries(typed, show);
  const current = Math.min(moved ?? best, entries.length - 1);
  const run = (entry: Entry | undefined): void => {
    if (!entry) return;
    onClose();
    entry.run();
  };
  // The number of an order and Enter open the order, also before the search has answered.
  const [isEntered, setIsEntered] = useState(false);
  const runCurrent = useLatest(() => run(entries[current]));
  useEffect(() => {
    if (isEntered && !isSearching) runCurrent.current();
  }, [isEntered, isSearching, runCurrent]);
  const move = (to: number): void => {
    const at = Math.max(0, Math.min(entries.length - 1, to));
    setMoved(at);
    document.querySelector(`#${CSS.escape(`${id}-${at}`)}`)?.scrollIntoView({ block: "nearest" });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      move(current + (event.key === "ArrowDown" ? 1 : -1));
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (isSearching && moved === undefined) setIsEntered(true);
      else run(entries[current]);
    }
  };
  return (
    <>
      <div className="flex items-center gap-2.5 border-b border-line px-4 text-muted">
        <Icon name="search" size={16} />
        <input
          role="combobox"
          aria-label="Search or run a command"
          aria-expanded
          aria-controls={id}
          aria-activedescendant={entries[current] ? `${id}-${current}` : undefined}
          placeholder="Search or run a command"
          value={typed}
          onChange={(event) => {
            setTyped(event.target.value);
            setMoved(undefined);
            setIsEntered(false);
          }}
          onKeyDown={onKeyDown}
          className="h-12 min-w-0 flex-1 bg-transparent text-lg text-text outline-none"
        />
        <Kbd keys="Escape" />
      </div>
      <div id={id} role="listbox" aria-label="Results" className="max-h-[56vh] overflow-y-auto px-1.5 pb-1.5">
        {entries.length === 0 && (
          <p className="px-2.5 py-4 text-muted">Nothing found. Try a part of an order number, a name or a page.</p>
        )}
        {entries.map((entry, at) => (
          <Row
            key={`${entry.group} ${entry.name} ${entry.note ?? ""}`}
            id={`${id}-${at}`}
            entry={entry}
            heading={entries[at - 1]?.group === entry.group ? undefined : entry.group}
            typed={typed}
            isCurrent={at === current}
            onPick={() => run(entry)}
            onPoint={() => setMoved(at)}
          />
        ))}
      </div>
      <p className="flex gap-4 border-t border-line px-4 py-2 text-sm text-muted max-narrow:hidden">
        <span>
          <Kbd keys="ArrowUp" /> <Kbd keys="ArrowDown" /> Move
        </span>
        <span>
          <Kbd keys="Enter" /> Run
        </span>
        <span>
          <Kbd keys="Escape" /> Close
        </span>
      </p>
    </>
  );
}

type RowProps = {
  id: string;
  entry: Entry;
  heading: string | undefined;
  typed: string;
  isCurrent: boolean;
  onPick(): void;
  onPoint(): void;
};

function Row({ id, entry, heading, typed, isCurrent, onPick, onPoint }: RowProps) {
  const { name, note, icon, keys } = entry;
  return (
    <>
      {heading && (
        <p aria-hidden className="px-2.5 pt-3 pb-1 text-xs font-medium text-faint">
          {heading}
        </p>
      )}
      {/* The field handles the keys. */}
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events */}
      <div
        id={id}
        role="option"
        tabIndex={-1}
        aria-selected={isCurrent}
        onClick={onPick}
        onMouseMove={onPoint}
        className={cx(
          "flex min-h-9 items-center gap-2.5 rounded-md px-2.5",
          isCurrent && "bg-accent-soft text-accent-text",
        )}
      >
        <Icon name={icon} size={16} weight={2.1} />
        <span className="flex min-w-0 flex-1 items-baseline gap-2.5">
          <span className="max-w-full shrink-0 truncate">
            <Matched text={name} typed={typed.trim()} />
          </span>
          {note && <span className={cx("truncate text-sm", isCurrent ? "" : "text-muted")}>{note}</span>}
        </span>
        {keys && <Kbd keys={keys} />}
      </div>
    </>
  );
}

/** The name with the typed text in bold. */
function Matched({ text, typed }: { text: string; typed: string }) {
  const at = typed === "" ? -1 : text.toLowerCase().indexOf(typed.toLowerCase());
  if (at < 0) return text;
  return (
    <>
      {text.slice(0, at)}
      <b className="font-semibold">{text.slice(at, at + typed.length)}</b>
      {text.slice(at + typed.length)}
    </>
  );
}
