import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { afterFile } from "../testing/after-file.ts";
import { allRoutes, exampleBody, largestBodies, listLimits, pathOf } from "../testing/route-samples.ts";
import { startTestHub } from "../testing/test-hub.ts";
import { reachesThreshold, offloadThresholdOf } from "./offload-threshold.ts";
import { plainFormat } from "./mount.ts";
import { apiPrefix, routesOf } from "./routes.ts";

/** Stands where heavy requests are done, and says which have come. */
const arrived: string[] = [];
const standIn = createServer((request, response) => {
  arrived.push(`${request.method} ${request.url}`);
  request.resume().once("end", () => response.writeHead(200, { "content-type": "application/json" }).end("{}"));
});
const folder = await mkdtemp(path.join(tmpdir(), "hub-offload-"));
const socketPath = path.join(folder, "socket");
await new Promise<void>((resolve) => void standIn.listen(socketPath, resolve));
const hub = await startTestHub({
  workerProcess: {
    socketPath,
    token: "t",
    hasEnded: () => false,
    wasKilled: () => false,
    unfinished: () => Promise.resolve(0),
    isFull: () => false,
    kill() {},
    stop: () => Promise.resolve(),
  },
});
afterFile(async () => {
  standIn.close();
  await rm(folder, { recursive: true });
});

const headers = { authorization: `Bearer ${hub.operator.token}`, "content-type": "application/json" };
const mounted = allRoutes([{ prefix: apiPrefix, routes: routesOf("live"), format: plainFormat }]);
const withBody = mounted.filter(({ route }) => route.body && route.scope !== "public" && !route.takesAnyBody);

/** Whatever is done by the hub itself has fewer records than this, unless its route does them in batches. */
const mostItems = 100;
/** Done in batches of 500, or queued by one statement. */
const exceptions = new Map([
  ["operations.preflight", 1_000],
  ["operations.run", 1_000],
  ["tasks.executeMany", 1_000],
]);

describe("a body that would block the event loop is offloaded (security N3)", () => {
  test.each(withBody)("$name: by its bytes, its values, or the records in it", async (one) => {
    const { route } = one;
    const bounds = offloadThresholdOf(route);
    const { bodyLimitBytes = 10 * 1024 ** 2 } = route;
    const url = pathOf(one, () => crypto.randomUUID());
    const [name = "x"] = Object.keys(exampleBody(route)!);
    const large = [
      { what: "records", count: bounds.items, make: (n: number) => `{"${name}":[${"{},".repeat(n)}{}]}` },
      { what: "lines", count: bounds.items, make: (n: number) => JSON.stringify({ [name]: "a\n".repeat(n) }) },
      { what: "values", count: bounds.values, make: (n: number) => `{"${name}":[[${"0,".repeat(n)}0]]}` },
      { what: "bytes", count: bounds.bytes, make: (n: number) => JSON.stringify({ [name]: "x".repeat(n) }) },
    ]
      .filter(({ count }) => count < Infinity)
      .map(({ what, count, make }) => ({ what, body: make(count) }))
      .filter(({ body }) => body.length <= bodyLimitBytes);
    for (const { what, body } of large) {
      const before = arrived.length;
      await fetch(`${hub.url}${apiPrefix}${url}`, { method: route.method, headers, body });
      expect(arrived.slice(before), what).toHaveLength(1);
    }
    if (route.offloadFromBytes === 0) return;
    const small = JSON.stringify(exampleBody(route));
    expect(reachesThreshold([Buffer.from(small)], bounds, true), "its example").toBe(false);
  });

  test.each(withBody)("$name: a body below the threshold has only short lists", ({ route }) => {
    const bounds = offloadThresholdOf(route);
    const longest = Math.max(0, ...listLimits(route.body));
    expect(Math.min(longest, bounds.items)).toBeLessThanOrEqual(exceptions.get(route.name) ?? mostItems);
    expect(bounds.values).toBeLessThanOrEqual(5_000);
    expect(bounds.bytes).toBeLessThanOrEqual(256 * 1024);
    for (const body of bounds.bytes === 0 ? [] : largestBodies(route, bounds)) {
      expect(reachesThreshold([Buffer.from(body)], bounds, true), body.slice(0, 200)).toBe(false);
    }
  });
});

/** As many as JSON.parse finds. */
function count(value: unknown, depth = 0): { values: number; items: number } {
  if (typeof value === "string") return { values: 0, items: value.match(/[\n\r]/g)?.length ?? 0 };
  if (typeof value !== "object" || value === null) return { values: 0, items: 0 };
  const members = Array.isArray(value) ? value : [...Object.keys(value), ...Object.values(value)];
  const size = Array.isArray(value) ? value.length : Object.keys(value).length;
  const own = {
    values: 1 + Math.max(0, size - 1),
    items: Array.isArray(value) && depth < 2 ? Math.max(0, size - 1) : 0,
  };
  return members.reduce<{ values: number; items: number }>((sum, member) => {
    const more = count(member, depth + 1);
    return { values: sum.values + more.values, items: sum.items + more.items };
  }, own);
}

test("values and records are counted as the parser would, for any chunks of the body", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 1, max: 40 }), (value, size) => {
      const bytes = Buffer.from(JSON.stringify(value));
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        bytes.subarray(i * size, (i + 1) * size),
      );
      const { values, items } = count(value);
      const unbounded = { bytes: Infinity, values: Infinity, items: Infinity };
      expect(reachesThreshold(pieces, { ...unbounded, values: values + 1 }, true)).toBe(true);
      expect(reachesThreshold(pieces, { ...unbounded, values: values + 2 }, true)).toBe(false);
      if (items > 0) expect(reachesThreshold(pieces, { ...unbounded, items }, true)).toBe(true);
      expect(reachesThreshold(pieces, { ...unbounded, items: items + 1 }, true)).toBe(false);
    }),
  );
});
