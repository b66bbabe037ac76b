import { lazy, Suspense } from "react";
import { zoneOf } from "../live/hub-clock.tsx";
import { useMe } from "../live/me.ts";
import { usePreferences } from "../live/preferences.ts";
import { buttonClass } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";
import { Kbd } from "../ui/kbd.tsx";
import { Popover } from "../ui/popover.tsx";

const Account = lazy(async () => ({ default: (await import("./account.tsx")).Account }));

/** "New York" for "America/New_York". */
const zoneName = (zone: string): string =>
  zone === "UTC" ? "UTC" : `${zone.split("/").at(-1)!.replaceAll("_", " ")} time`;

/** Header controls of every page: time zone, account and search. */
export function HeaderTools({ onSearch, onKeys }: { onSearch(): void; onKeys(): void }) {
  const me = useMe();
  const { preferences } = usePreferences();
  const zone = zoneOf(preferences.timeZone, me.organization.timezone);
  return (
    <>
      <button type="button" onClick={onSearch} className={buttonClass("plain", "max-lg:hidden")}>
        Search or act <Kbd keys="$mod+k" />
      </button>
      <button type="button" onClick={onSearch} aria-label="Search or act" className={buttonClass("quiet", "lg:hidden")}>
        <Icon name="search" />
      </button>
      <Popover
        title="You, and how the console looks"
        triggerClass={buttonClass("quiet")}
        triggerLabel={`${me.name}, ${zoneName(zone)}: account and look`}
        trigger={
          <>
            <span className="max-lg:hidden">{zoneName(zone)}</span>
            <Icon name="user" />
          </>
        }
      >
        <Suspense>
          <Account onKeys={onKeys} />
        </Suspense>
      </Popover>
    </>
  );
}
