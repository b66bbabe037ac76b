import { useMutation } from "@tanstack/react-query";
import { browserZone, zoneOf } from "../live/hub-clock.tsx";
import { hub, queryClient } from "../live/hub.ts";
import { useMe } from "../live/me.ts";
import type { Preferences } from "../live/preferences.ts";
import { usePreferences } from "../live/preferences.ts";
import { buttonClass, Button } from "../ui/button.tsx";
import { Icon } from "../ui/icons.tsx";
import { Kbd } from "../ui/kbd.tsx";
import { Popover } from "../ui/popover.tsx";
import { Select } from "../ui/select.tsx";
import { Switch } from "../ui/switch.tsx";

/** "America/New_York" as people say it. */
const zoneName = (zone: string): string => (zone === "UTC" ? "UTC" : `${zone.split("/").at(-1)!.replaceAll("_", " ")} time`);

/** What is the same on every page: in which zone times are read, who one is, and the way to everything. */
export function HeaderTools({ onSearch, onKeys }: { onSearch(): void; onKeys(): void }) {
  const me = useMe();
  const { preferences } = usePreferences();
  const zone = zoneOf(preferences.timeZone, me.organization.timeZone);
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
        <Account onKeys={onKeys} />
      </Popover>
    </>
  );
}

function Account({ onKeys }: { onKeys(): void }) {
  const me = useMe();
  const { preferences, set } = usePreferences();
  const signOut = useMutation({
    mutationFn: () => hub.call("DELETE /api/v1/auth/session"),
    onSettled: () => {
      queryClient.clear();
      location.assign("/");
    },
  });
  return (
    <div className="flex flex-col gap-2.5">
      <div>
        <p className="font-medium">{me.name}</p>
        <p className="text-sm text-muted">
          {me.organization.name}, {me.role ?? "no role"}, {me.environment}
        </p>
      </div>
      <Select
        label="Times in"
        value={preferences.timeZone}
        onChange={(timeZone) => set({ timeZone })}
        options={[
          { value: "browser", label: "This browser's zone", note: browserZone() },
          { value: "organization", label: "The organization's zone", note: me.organization.timeZone },
          { value: "UTC", label: "UTC" },
        ]}
      />
      <Select
        label="Theme"
        value={preferences.theme}
        onChange={(theme) => set({ theme: theme as Preferences["theme"] })}
        options={[
          { value: "system", label: "As the system" },
          { value: "light", label: "Light" },
          { value: "dark", label: "Dark" },
        ]}
      />
      <Switch
        label="Higher rows"
        isOn={preferences.density === "comfortable"}
        onChange={(isOn) => set({ density: isOn ? "comfortable" : "compact" })}
      />
      <Switch label="Single keys, such as E" isOn={preferences.singleKeys} onChange={(singleKeys) => set({ singleKeys })} />
      <Switch label="Dock" isOn={preferences.isDockOpen} onChange={(isDockOpen) => set({ isDockOpen })} />
      <div className="flex justify-between gap-2 border-t border-line pt-2.5">
        <Button kind="quiet" onClick={onKeys}>
          All keys
        </Button>
        <Button isBusy={signOut.isPending} onClick={() => signOut.mutate()}>
          Sign out
        </Button>
      </div>
    </div>
  );
}
