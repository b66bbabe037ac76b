import { describe, expect, test } from "vitest";
import { startTestHub } from "../testing/test-hub.ts";

type Node = Record<string, unknown>;
type Operation = { parameters: { name: string; in: string; schema: Node }[] };

const hub = await startTestHub({ environment: "preview" });
const { body: document } = await hub.anonymous.get("!/openapi.json");
const paths = document.paths as Record<string, Record<string, Operation>>;

function* nodesOf(node: unknown, place = ""): Generator<[string, Node]> {
  if (typeof node !== "object" || node === null) return;
  if (!Array.isArray(node)) yield [place, node as Node];
  for (const [key, child] of Object.entries(node)) yield* nodesOf(child, `${place}/${key}`);
}

describe("the OpenAPI document (protocol, papercuts)", () => {
  test("has no alternative that accepts anything, and no internal markers", () => {
    const nodes = [...nodesOf(document)];
    const open = nodes.flatMap(([place, { anyOf, allOf }]) =>
      [anyOf, allOf].flat().some((part) => part !== undefined && Object.keys(part as object).length === 0)
        ? [place]
        : [],
    );
    expect(open).toEqual([]);
    expect(nodes.filter(([, node]) => "x-documented" in node)).toEqual([]);
  });

  test("has no broken references", () => {
    const references = [...nodesOf(document)].flatMap(([, { $ref }]) => (typeof $ref === "string" ? [$ref] : []));
    expect(references.length).toBeGreaterThan(100);
    for (const reference of new Set(references)) {
      const steps = reference.slice(2).split("/");
      expect([
        reference,
        steps.reduce<unknown>((at, step) => (at as Node | undefined)?.[step], document),
      ]).not.toContain(undefined);
    }
  });

  test("has the types of the fields of a mapping", () => {
    const { properties } = document.components.schemas.Mapping as { properties: Record<string, Node> };
    const untyped = Object.keys(properties).filter(
      (name) => !("type" in properties[name]! || "anyOf" in properties[name]!),
    );
    expect(untyped).toEqual(["value", "default"]);
    const condition = { anyOf: [{ $ref: "#/components/schemas/Condition" }] };
    expect([properties.when, properties.where]).toMatchObject([condition, condition]);
    expect(properties.transforms).toMatchObject({ items: { $ref: "#/components/schemas/MappingTransform" } });
    expect(properties.onError).toMatchObject({ type: "string", enum: ["fail", "skip", "default", "null"] });
  });

  test("describes conditions at every depth", () => {
    const { anyOf } = document.components.schemas.Condition as { anyOf: { properties: Record<string, Node> }[] };
    expect(anyOf.map(({ properties }) => Object.keys(properties))).toEqual([
      ["path", "op", "value"],
      ["all"],
      ["any"],
      ["not"],
    ]);
    expect(anyOf[3]!.properties.not).toEqual({ $ref: "#/components/schemas/Condition" });
  });

  test("maps each address to one path: of two matches one is more specific, or the other accepts only ids", () => {
    const isFree = (part: string): boolean => part.startsWith("{");
    const takesOnlyIds = (path: string, part: string): boolean =>
      Object.values(paths[path]!).every(({ parameters }) =>
        parameters.some((one) => one.in === "path" && `{${one.name}}` === part && one.schema.format === "uuid"),
      );
    const all = Object.keys(paths).map((path) => ({ path, parts: path.split("/") }));
    let compared = 0;
    for (const one of all) {
      for (const other of all.filter(({ parts }) => parts.length === one.parts.length && one.parts !== parts)) {
        const pairs = one.parts.map((part, i) => [part, other.parts[i]!] as const);
        if (!pairs.every(([a, b]) => a === b || isFree(a) || isFree(b))) continue;
        compared++;
        const isNarrower = pairs.every(([a, b]) => a === b || !isFree(a));
        const isWider = pairs.every(([a, b]) => a === b || !isFree(b));
        const isApart = pairs.some(([a, b]) => isFree(a) && !isFree(b) && takesOnlyIds(one.path, a));
        expect([one.path, other.path, isNarrower !== isWider || isApart]).toEqual([one.path, other.path, true]);
      }
    }
    expect(compared).toBeGreaterThan(10);
  });
});
