import type { RefObject } from "react";
import { useState } from "react";
import { useHotkeys } from "../../ui/hotkeys.ts";
import { Kbd } from "../../ui/kbd.tsx";
import { useTypedText } from "../../ui/search-box.tsx";
import type { Search } from "../../ui/search-params.ts";
import { oneOf } from "../../ui/search-params.ts";
import { OrderFilterChips } from "./order-filter-chips.pick.tsx";
import { text } from "./orders.text.ts";

type Props = { search: Search; onChange(change: Search): void; searchBox: RefObject<HTMLInputElement | null> };

/** The search field, active filters as chips, and the panel with all filters. */
export function FilterBar({ search, onChange, searchBox }: Props) {
  const [isOpen, setOpen] = useState(false);
  useHotkeys([{ keys: "f", name: "Filter orders", run: () => setOpen(true) }]);
  return (
    <div role="search" aria-label="Filters" className="mb-2.5 flex shrink-0 flex-wrap items-center gap-1.5">
      <SearchBox
        value={oneOf(search["search"]) ?? ""}
        onChange={(value) => onChange({ search: value || undefined })}
        box={searchBox}
      />
      <OrderFilterChips search={search} onChange={onChange} adding={{ isOpen, onOpenChange: setOpen }} />
    </div>
  );
}

function SearchBox({
  value,
  onChange,
  box,
}: {
  value: string;
  onChange(value: string): void;
  box: RefObject<HTMLInputElement | null>;
}) {
  const [typed, setTyped] = useTypedText(value, onChange);
  return (
    <span className="relative">
      <input
        ref={box}
        type="search"
        aria-label="Search orders"
        placeholder={text.search}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && box.current?.blur()}
        className="h-7 w-[230px] rounded-md border border-line-strong bg-raised px-2 pe-7"
      />
      <span className="pointer-events-none absolute inset-y-0 end-1.5 grid place-items-center">
        <Kbd keys="/" />
      </span>
    </span>
  );
}
