import { HubApiError } from "@order-operations-hub/sdk/problem";
import { useMutation } from "@tanstack/react-query";
import { browserZone } from "../live/hub-clock.tsx";
import { hub, queryClient } from "../live/hub.ts";
import { useMe } from "../live/me.ts";
import { useOtherEnvironment } from "../live/other-environment.ts";
import type { Preferences } from "../live/preferences.ts";
import { usePreferences } from "../live/preferences.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Kbd } from "../ui/kbd.tsx";
import { Link } from "../ui/link.tsx";
import { sentence } from "../ui/format.ts";
import { ProblemBox } from "../ui/problem-box.tsx";
import { Select } from "../ui/select.tsx";
import { Switch } from "../ui/switch.tsx";
import { paths } from "./paths.ts";

export async function signOut(): Promise<void> {
  await hub.call("DELETE /api/v1/auth/session").catch((error: unknown) => {
    // An error response means that the session has ended already.
    if (!(error instanceof HubApiError)) throw error;
  });
  queryClient.clear();
  location.assign("/");
}

/** Account menu: who is signed in, appearance, and sign-out. */
export function Account({ onKeys, onLeave }: { onKeys(): void; onLeave(): void }) {
  const me = useMe();
  const { preferences, set } = usePreferences();
  const other = useOtherEnvironment();
  const leaving = useMutation({ mutationFn: signOut });
  return (
    <div className="flex flex-col gap-2.5">
      <div className="border-b border-line pb-2.5">
        <p className="truncate font-medium">{me.name}</p>
        {me.actor.email && me.actor.email !== me.name && <p className="truncate text-muted">{me.actor.email}</p>}
        <p className="truncate text-sm text-muted">
          {me.organization.name}
          {me.role && `, ${sentence(me.role)}`}
        </p>
      </div>
      <Select
        label="Time zone"
        value={preferences.timeZone}
        onChange={(timeZone) => set({ timeZone })}
        options={[
          { value: "browser", label: "This browser", note: browserZone() },
          { value: "organization", label: "Organization", note: me.organization.timezone },
          { value: "UTC", label: "UTC" },
        ]}
      />
      <Select
        label="Theme"
        value={preferences.theme}
        onChange={(theme) => set({ theme: theme as Preferences["theme"] })}
        options={[
          { value: "system", label: "Same as the system" },
          { value: "light", label: "Light" },
          { value: "dark", label: "Dark" },
        ]}
      />
      <Switch
        label="Comfortable rows"
        isOn={preferences.density === "comfortable"}
        onChange={(isOn) => set({ density: isOn ? "comfortable" : "compact" })}
      />
      <Switch
        label="Single-key shortcuts"
        isOn={preferences.singleKeys}
        onChange={(singleKeys) => set({ singleKeys })}
      />
      <Switch label="Developer panel" isOn={preferences.isDockOpen} onChange={(isDockOpen) => set({ isDockOpen })} />
      <div className="-mx-1 flex flex-col border-t border-line pt-2">
        <Link href={paths.account()} onClick={onLeave} className={rowClass}>
          My account
        </Link>
        <button type="button" onClick={onKeys} className={rowClass}>
          <span className="flex-1 text-start">Keyboard shortcuts</span>
          <Kbd keys="?" />
        </button>
        {other && (
          <a href={other.url} className={rowClass}>
            {other.environment === "preview" ? "Open the demo preview" : "Go to live"}
          </a>
        )}
      </div>
      {leaving.error && <ProblemBox error={leaving.error} />}
      <Button isBusy={leaving.isPending} onClick={() => leaving.mutate()}>
        Sign out
      </Button>
    </div>
  );
}

const rowClass = buttonClass("quiet", "w-full justify-start px-1.5");
