/**
 * When a cron expression runs, found in the dullest way: look at the clock on the wall once a minute. It shares nothing
 * with the evaluator, neither its parser nor `Temporal`; the clock on the wall is `Intl`.
 */
const minuteMs = 60_000;
const dayMs = 86_400_000;
const blockMs = 30 * minuteMs;

type WallClock = (instant: number) => number;

/** What a clock in this zone shows, as milliseconds as if it showed UTC. */
export function wallClock(zone: string): WallClock {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  });
  return (instant) => {
    const [month, day, year, hour, minute, second] = format.format(instant).split(/\D+/).map(Number);
    return Date.UTC(year!, month! - 1, day, hour, minute, second);
  };
}

/** Where the clock of a zone is changed. Two changes within half a day would escape; there are none since 2000. */
export function clockChanges(clock: WallClock, from: number, to: number): number[] {
  const changes: number[] = [];
  const offset = (instant: number): number => clock(instant) - instant;
  for (let start = from; start < to; start += dayMs / 2) {
    let [low, high] = [start, start + dayMs / 2];
    if (offset(low) === offset(high)) continue;
    const before = offset(low);
    while (high - low > minuteMs) {
      const middle = Math.floor((low + high) / 2 / minuteMs) * minuteMs;
      if (offset(middle) === before) low = middle;
      else high = middle;
    }
    changes.push(high);
  }
  return changes;
}

/** Wall clock times for every minute of a window. Within a block whose ends agree the clock is not asked again. */
export function wallTimes(clock: WallClock, from: number, to: number): Float64Array {
  const times = new Float64Array((to - from) / minuteMs);
  for (let block = from; block < to; block += blockMs) {
    const start = clock(block);
    const isSteady = clock(block + blockMs) - start === blockMs;
    for (let at = block; at < Math.min(block + blockMs, to); at += minuteMs) {
      times[(at - from) / minuteMs] = isSteady ? start + at - block : clock(at);
    }
  }
  return times;
}

type NaiveCron = {
  isNamed(wallTime: number): boolean;
  runsEveryHour: boolean;
  isInterval: boolean;
};

/** Runs within the window, from `emitFrom` on. The part before tells what the clock has shown already. */
export function naiveRuns(cron: NaiveCron, times: Float64Array, from: number, emitFrom: number): number[] {
  const runs: number[] = [];
  let latestShown = times[0]! - minuteMs;
  for (const [index, shown] of times.entries()) {
    const instant = from + index * minuteMs;
    if (instant >= emitFrom) {
      const isSecondPass = shown <= latestShown;
      let isRun = cron.isNamed(shown) && (cron.isInterval || !isSecondPass);
      for (let missing = latestShown + minuteMs; missing < shown && !isRun; missing += minuteMs) {
        isRun = !cron.runsEveryHour && cron.isNamed(missing);
      }
      if (isRun) runs.push(instant);
    }
    latestShown = Math.max(latestShown, shown);
  }
  return runs;
}

const months = ["", "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const weekdays = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

export function naiveCron(expression: string): NaiveCron {
  const [minute, hour, dayOfMonth, month, dayOfWeek] = expression.split(" ") as [
    string,
    string,
    string,
    string,
    string,
  ];
  const minutes = Array.from({ length: 60 }, (_, value) => allows(minute, value, [], 59));
  const hours = Array.from({ length: 24 }, (_, value) => allows(hour, value, [], 23));
  const isDay = remember((day: number): boolean => {
    const date = new Date(day * dayMs);
    if (!allows(month, date.getUTCMonth() + 1, months, 12, 1)) return false;
    const isMonthDayFree = allowsAll(dayOfMonth, 1, 31, []);
    const isWeekdayFree = allowsAll(dayOfWeek, 0, 6, weekdays);
    const byMonthDay = allowsMonthDay(dayOfMonth, date);
    const byWeekday = allowsWeekday(dayOfWeek, date);
    return isMonthDayFree || isWeekdayFree ? byMonthDay && byWeekday : byMonthDay || byWeekday;
  });
  const runsEveryHour = hour.includes("*") && hours.every(Boolean);
  return {
    isNamed(wallTime) {
      const day = Math.floor(wallTime / dayMs);
      const time = (wallTime - day * dayMs) / minuteMs;
      return minutes[time % 60]! && hours[Math.floor(time / 60)]! && isDay(day);
    },
    runsEveryHour,
    isInterval: runsEveryHour || minute.includes("*"),
  };
}

function allowsAll(field: string, from: number, to: number, names: string[]): boolean {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index).every((value) =>
    allows(field, value, names, to, from),
  );
}

function allowsMonthDay(field: string, date: Date): boolean {
  const isLast = new Date(date.getTime() + dayMs).getUTCDate() === 1;
  return field.split(",").some((item) => (item === "L" ? isLast : allows(item, date.getUTCDate(), [], 31, 1)));
}

function allowsWeekday(field: string, date: Date): boolean {
  const [day, weekday] = [date.getUTCDate(), date.getUTCDay()];
  return field.split(",").some((item) => {
    if (item.includes("#")) {
      const [name = "", nth] = item.split("#");
      return allows(name, weekday, weekdays, 6) && day > 7 * (Number(nth) - 1) && day <= 7 * Number(nth);
    }
    if (/.L$/.test(item)) {
      const isLast = new Date(date.getTime() + 7 * dayMs).getUTCMonth() !== date.getUTCMonth();
      return isLast && allows(item.slice(0, -1), weekday, weekdays, 6);
    }
    return allows(item, weekday, weekdays, 6) || (weekday === 0 && allows(item, 7, weekdays, 7));
  });
}

function allows(field: string, value: number, names: string[], max: number, min = 0): boolean {
  const read = (text: string): number => (names.includes(text) ? names.indexOf(text) : Number(text));
  return field.split(",").some((item) => {
    const [range = "", step = "1"] = item.split("/");
    if (range === "*" || range === "?") return (value - min) % Number(step) === 0 && value <= max;
    const [first = "", last = item.includes("/") ? String(max) : first] = range.split("-");
    const [from, to] = [read(first), read(last)];
    return value >= from && value <= to && (value - from) % Number(step) === 0;
  });
}

function remember<T>(compute: (key: number) => T): (key: number) => T {
  const known = new Map<number, T>();
  return (key) => {
    let value = known.get(key);
    if (value === undefined) known.set(key, (value = compute(key)));
    return value;
  };
}
