import { useState } from "react";

/** Of this device: a station is a bench, and people change. */
export type StationSettings = {
  name: string;
  /** Buy the label with the last scan. */
  buysLabel: boolean;
  /** Print the label as soon as it is bought. */
  prints: boolean;
  isMuted: boolean;
  /** Saved view of orders whose orders are queued; empty: all that are ready. */
  viewId: string;
};

const defaults: StationSettings = { name: "Station 1", buysLabel: true, prints: true, isMuted: false, viewId: "" };
const key = "ooh-station";

function read(): StationSettings {
  try {
    return { ...defaults, ...(JSON.parse(localStorage.getItem(key) ?? "{}") as Partial<StationSettings>) };
  } catch {
    return defaults;
  }
}

export function useStationSettings(): [StationSettings, (change: Partial<StationSettings>) => void] {
  const [settings, setSettings] = useState(read);
  const change = (part: Partial<StationSettings>): void => {
    const next = { ...settings, ...part };
    setSettings(next);
    try {
      localStorage.setItem(key, JSON.stringify(next));
    } catch {
      // Storage is disabled: the settings last until the page is closed.
    }
  };
  return [settings, change];
}
