import { queryOptions, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useMemo } from "react";
import { ClockProvider, useClock } from "../ui/zone.tsx";
import { hub } from "./hub.ts";
import { useMe } from "./me.ts";
import { usePreferences } from "./preferences.ts";

export const previewClockQuery = queryOptions({
  queryKey: ["preview-clock"],
  queryFn: async () => ({ ...(await hub.call("GET /api/v1/preview/clock")), askedAt: Date.now() }),
  refetchInterval: 60_000,
});

export const browserZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

function zoneOf(choice: string, organizationZone: string): string {
  if (choice === "browser") return browserZone();
  return choice === "organization" ? organizationZone : choice;
}

/** Default time zone of times that are typed: that of the organization, or of the browser where the organization has none. */
export function useDefaultZone(): string {
  const { entryZone, timeZone } = useClock();
  return entryZone ?? timeZone;
}

/** Times in the chosen zone, measured by the clock of the hub. */
export function HubClock({ children }: { children: ReactNode }) {
  const me = useMe();
  const { preferences } = usePreferences();
  const isPreview = me.environment === "preview";
  const { data } = useQuery({ ...previewClockQuery, enabled: isPreview });
  const timeZone = zoneOf(preferences.timeZone, me.organization.timezone);
  const clock = useMemo(() => {
    const shown = data && Date.parse(data.now);
    const now = (): number =>
      shown === undefined || !data ? Date.now() : data.mode === "frozen" ? shown : shown + Date.now() - data.askedAt;
    const zone = me.organization.timezone;
    return { timeZone, entryZone: zone === "UTC" ? timeZone : zone, now };
  }, [timeZone, data, me.organization.timezone]);
  return <ClockProvider value={clock}>{children}</ClockProvider>;
}
