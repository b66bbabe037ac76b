import { useMutation } from "@tanstack/react-query";
import { browserZone } from "../live/hub-clock.tsx";
import { hub, queryClient } from "../live/hub.ts";
import { useMe } from "../live/me.ts";
import type { Preferences } from "../live/preferences.ts";
import { usePreferences } from "../live/preferences.ts";
import { Button } from "../ui/button.tsx";
import { Select } from "../ui/select.tsx";
import { Switch } from "../ui/switch.tsx";

/** Account menu: profile, appearance and sign-out. */
export function Account({ onKeys }: { onKeys(): void }) {
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
          { value: "organization", label: "The organization's zone", note: me.organization.timezone },
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
      <Switch
        label="Single keys, such as E"
        isOn={preferences.singleKeys}
        onChange={(singleKeys) => set({ singleKeys })}
      />
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
