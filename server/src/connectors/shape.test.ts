import { execFileSync } from "node:child_process";
import path from "node:path";
import { expect, test } from "vitest";
import { currencyOf } from "./shape.ts";

/** In a process of its own: the time zone of a machine is one of its processes. */
function instantsIn(timeZone: string, values: unknown[]): unknown {
  const shape = path.join(import.meta.dirname, "shape.ts");
  const script = `import { instantOf } from ${JSON.stringify(shape)};
    console.log(JSON.stringify(${JSON.stringify(values)}.map((value) => instantOf(value) ?? null)));`;
  const options = { env: { TZ: timeZone }, encoding: "utf8" } as const;
  return JSON.parse(execFileSync(process.execPath, ["--input-type=module", "-e", script], options));
}

test("a time without a zone is UTC, in any zone of the process", () => {
  const texts = ["2026-03-01T22:30:00", "2026-03-01 22:30", "2026-03-01T22:30:00.000Z", "2026-03-01T17:30:00-05:00"];
  const others = ["2026-03-01", 1_772_404_200_000, "", "yesterday", null];
  const at = "2026-03-01T22:30:00.000Z";
  expect(instantsIn("Asia/Kathmandu", [...texts, ...others])).toEqual([
    ...texts.map(() => at),
    "2026-03-01T00:00:00.000Z",
    at,
    null,
    null,
    null,
  ]);
});

test("a text that is no currency stays one, so that the order is rejected", () => {
  expect(["USD", "eur", " Taler ", "", null, 5].map(currencyOf)).toEqual([
    "USD",
    "EUR",
    "TALER",
    undefined,
    undefined,
    "5",
  ]);
});
