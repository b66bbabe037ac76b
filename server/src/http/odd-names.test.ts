import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { buildOneOfEverything } from "../testing/builders.ts";
import type { Schema } from "../testing/route-samples.ts";
import { allRoutes, exampleBody, pathOf, recordSlots, withSlot } from "../testing/route-samples.ts";
import { startTestHub } from "../testing/test-hub.ts";

// protocol 2: a name with a line break in it is a name like any other: its value is checked, kept and shown.
const hub = await startTestHub({ environment: "preview" });
const org = await hub.org();
const mine = await buildOneOfEverything(org);
const oddNames = ["a\nb", "a\rb", "a\u2028b", "a\u2029b", "\n", "a\u0085", "\u{1f600}"];
const slots = allRoutes(hub.mounts).flatMap((mounted) =>
  recordSlots(mounted.route.body).map((slot) => ({ ...mounted, ...slot, slot: slot.path.join("/") || "(all of it)" })),
);

const knownFormats = { uuid: true, date: true, "date-time": true, "date-or-date-time": true, email: true } as const;
const ajv = new Ajv({ strict: false, formats: knownFormats });

/** Something that may not stand there; undefined where anything may. */
function wrongFor(values: Schema): unknown {
  const isRight = ajv.compile(values);
  return [[[]], { wrong: 1 }, 5, null].find((value) => !isRight(value));
}

function memberAt(body: unknown, path: string[]): unknown {
  return path.reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], body);
}

describe("wherever a request has names chosen by the caller", () => {
  test.each(slots)("$name: $slot checks the value of every name", async ({ path, values, ...mounted }) => {
    const wrong = wrongFor(values);
    for (const name of oddNames) {
      const body = withSlot(exampleBody(mounted.route), path, { [name]: wrong ?? "x" });
      const answer = await org.call(
        mounted.route.method,
        pathOf(mounted, (kind) => mine[kind]),
        body,
      );
      expect(answer.status).toBeLessThan(500);
      if (wrong !== undefined) {
        // Of many at once, each has errors of its own.
        const pointers = [...nodesOf(answer.body)].flatMap(([, { pointer }]) => pointer ?? []);
        expect(pointers).toContainEqual(expect.stringContaining(`/${name}`));
      } else if (answer.status < 300) {
        const shown = memberAt(answer.body, path) as object | undefined | null;
        if (shown) expect(shown).toHaveProperty([name]);
      }
    }
  });

  const ruled = slots.filter(({ names }) => names.maxLength !== undefined);
  test.each(ruled)("$name: $slot checks every name", async ({ path, values, names, ...mounted }) => {
    const isRight = ajv.compile(values);
    const right = ["x", 1, {}, [], [1], null, true].find((value) => isRight(value));
    expect(right).toBeDefined();
    const wrong = ["n".repeat(names.maxLength! + 1), ...(names.minLength === undefined ? [] : [""])];
    for (const name of wrong) {
      const body = withSlot(exampleBody(mounted.route), path, { [name]: right });
      const answer = await org.call(
        mounted.route.method,
        pathOf(mounted, (kind) => mine[kind]),
        body,
      );
      const errors = [...nodesOf(answer.body)].flatMap(([, { pointer, code }]) => (pointer === undefined ? [] : code));
      expect([answer.status < 500, errors]).toEqual([true, expect.arrayContaining([expect.stringMatching(/Length$/)])]);
    }
  });

  test("such fields exist", () => {
    expect(slots.length).toBeGreaterThan(20);
    expect(ruled.length).toBeGreaterThan(5);
  });
});

type Node = Record<string, unknown>;

/** Every object of the document, with its place. */
function* nodesOf(node: unknown, place = ""): Generator<[string, Node]> {
  if (typeof node !== "object" || node === null) return;
  if (!Array.isArray(node)) yield [place, node as Node];
  for (const [key, child] of Object.entries(node)) yield* nodesOf(child, `${place}/${key}`);
}

describe("in the OpenAPI document", () => {
  const nodes = async () => [...nodesOf((await hub.anonymous.get("!/openapi.json")).body)];

  test("rules for names are not patterns that some names bypass", async () => {
    expect((await nodes()).filter(([, node]) => "patternProperties" in node)).toEqual([]);
  });

  test("patterns mean the same in every language: no bare dot, and no trailing line break", async () => {
    const patterns = new Set(
      (await nodes()).flatMap(([, { pattern }]) => (typeof pattern === "string" ? [pattern] : [])),
    );
    expect(patterns.size).toBeGreaterThan(5);
    for (const pattern of patterns) {
      expect(pattern.replaceAll(/\\.|\[[^\]]*\]/g, "")).not.toContain(".");
      if (pattern.endsWith("$"))
        for (const end of ["\n", "\r", "\u2028", "\u2029"]) {
          for (const text of ["a", "AB", "ABC", "12:00", "001"])
            expect(new RegExp(pattern, "u").test(text + end)).toBe(false);
        }
    }
  });
});
