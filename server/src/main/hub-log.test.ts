import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { describe, expect, test, vi } from "vitest";
import { prettyLine } from "./pretty-log.ts";
import { sumUpLosses } from "./sum-up-losses.ts";

type Line = Record<string, unknown>;

function openLog(everyMs: number): { log: pino.Logger; lines: Line[] } {
  const lines: Line[] = [];
  const hooks = { logMethod: sumUpLosses(everyMs) };
  const log = pino(
    { level: "info", base: undefined, hooks },
    { write: (line) => void lines.push(JSON.parse(line) as Line) },
  );
  return { log, lines };
}

const lost = (): Error => Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });

describe("a database outage (operations N6)", () => {
  test("is logged once for each affected operation, without stacks, and with a count afterwards", async () => {
    const { log, lines } = openLog(50);
    for (let i = 0; i < 100; i++) {
      log.warn({ err: lost(), work: "tasks" }, "no work could be taken; it waits");
      log.warn({ err: lost() }, "a database connection was lost");
    }
    expect(lines).toMatchObject([
      { msg: "no work could be taken; it waits", work: "tasks", reason: "ECONNREFUSED connect ECONNREFUSED" },
      { msg: "a database connection was lost", reason: "ECONNREFUSED connect ECONNREFUSED" },
    ]);
    expect(JSON.stringify(lines)).not.toContain("stack");
    await vi.waitFor(() => expect(lines).toHaveLength(4), 10_000);
    expect(lines.slice(2)).toMatchObject([
      { msg: "no work could be taken; it waits (again)", times: 99 },
      { msg: "a database connection was lost (again)", times: 99 },
    ]);
    log.warn({ err: lost() }, "a database connection was lost");
    expect(lines).toHaveLength(5);
  });

  test("hides no other error, and adds no count for a single occurrence", async () => {
    const { log, lines } = openLog(1);
    for (let i = 0; i < 3; i++) log.warn({ err: new TypeError("a bug") }, "no work could be taken; it waits");
    log.warn({ err: lost() }, "a database connection was lost");
    log.error({ err: lost() }, "unexpected error");
    await sleep(20);
    expect(lines.map(({ msg }) => msg)).toEqual([
      ...Array.from({ length: 3 }, () => "no work could be taken; it waits"),
      "a database connection was lost",
      "unexpected error",
    ]);
    expect(lines[0]).toMatchObject({ err: { stack: expect.stringContaining("TypeError") as string } });
  });
});

describe("a readable line", () => {
  const time = new Date(2026, 10, 17, 9, 5, 7).toISOString();

  test("has the time, the message and its fields", () => {
    const entry = {
      level: 30,
      time,
      environment: "live",
      migration: "0018_order_search.sql",
      msg: "migration 2 of 30",
    };
    expect(prettyLine(JSON.stringify(entry))).toBe("09:05:07  migration 2 of 30  migration=0018_order_search.sql");
  });

  test("shows method, path and status of a request, and its id if it failed", () => {
    const request = { method: "POST", route: "/api/v1/orders", durationMs: 12, orgId: "org", requestId: "req_1" };
    const entry = { level: 30, time, environment: "preview", ...request, msg: "request" };
    expect(prettyLine(JSON.stringify({ ...entry, status: 201 }))).toBe(
      "09:05:07  preview: POST /api/v1/orders 201 in 12 ms",
    );
    expect(prettyLine(JSON.stringify({ ...entry, level: 40, status: 503 }))).toBe(
      "09:05:07  warn  preview: POST /api/v1/orders 503 in 12 ms  requestId=req_1",
    );
  });

  test("shows the stack of an error, and keeps lines that are no log entries", () => {
    const err = { type: "Error", message: "boom", stack: "Error: boom\n    at here" };
    expect(prettyLine(JSON.stringify({ level: 50, time, msg: "unexpected error", err }))).toBe(
      "09:05:07  ERROR unexpected error  (boom)\n    Error: boom\n        at here",
    );
    expect(prettyLine("not JSON\n")).toBe("not JSON");
  });
});
