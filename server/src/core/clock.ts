/** `now` is the hub's time and can be set on the preview surface; `real` is for tokens and leases, which cannot. */
type Clock = { now(): Date; real(): Date };

export type ClockSetting = { mode: "real" } | { mode: "shifted"; offsetMs: number } | { mode: "frozen"; at: string };

export type SettableClock = Clock & { setting(): ClockSetting; set(setting: ClockSetting): void };

export function createClock(real: () => Date = () => new Date()): SettableClock {
  let setting: ClockSetting = { mode: "real" };
  return {
    real,
    now: () => readSetting(setting, real()),
    setting: () => setting,
    set(next) {
      setting = next;
    },
  };
}

export function readSetting(setting: ClockSetting, real: Date): Date {
  if (setting.mode === "frozen") return new Date(setting.at);
  return setting.mode === "shifted" ? new Date(real.getTime() + setting.offsetMs) : real;
}
