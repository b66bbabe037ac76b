import { lazy, Suspense } from "react";
import { useMe } from "../live/me.ts";
import { IconButton } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";
import { initialsOf } from "../ui/initials.ts";
import { Kbd } from "../ui/kbd.tsx";
import { Popover } from "../ui/popover.tsx";
import { loadPart } from "../ui/load-part.ts";

const Bell = lazy(loadPart(async () => ({ default: (await import("../features/notifications/bell.tsx")).Bell })));
const Account = lazy(loadPart(async () => ({ default: (await import("./account.tsx")).Account })));

type Props = { isMenuOpen: boolean; onMenu(): void; onSearch(): void; onKeys(): void };

/** Top bar of every page: search on the left, the account on the right. */
export function Header({ isMenuOpen, onMenu, onSearch, onKeys }: Props) {
  const me = useMe();
  return (
    <header className="flex h-12 shrink-0 items-center gap-2 px-3 wide:px-5">
      <span className="narrow:hidden">
        <IconButton label="Menu" onClick={onMenu} aria-expanded={isMenuOpen}>
          <Icon name="menu" size={16} />
        </IconButton>
      </span>
      <button
        type="button"
        onClick={onSearch}
        className="flex h-7.5 w-full max-w-85 min-w-0 items-center gap-2 rounded-md border border-line-strong bg-raised px-2.5 text-muted hover:border-edge"
      >
        <Icon name="search" />
        <span className="flex-1 truncate text-start">Search or run a command</span>
        <Kbd keys="$mod+k" />
      </button>
      <span className="flex-1" />
      <Suspense>
        <Bell />
      </Suspense>
      <Popover
        title="Account"
        triggerClass="grid size-7 shrink-0 place-items-center rounded-full bg-accent-soft text-sm font-semibold text-accent-text"
        triggerLabel={`Account of ${me.name}`}
        trigger={initialsOf(me.name)}
      >
        {(close) => (
          <Suspense>
            <Account
              onKeys={() => {
                close();
                onKeys();
              }}
              onLeave={close}
            />
          </Suspense>
        )}
      </Popover>
    </header>
  );
}
