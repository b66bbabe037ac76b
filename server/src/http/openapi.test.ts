import { describe, expect, test } from "vitest";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormatsModule from "ajv-formats";
import { eventTypes } from "../events/event-families.ts";
import { actionCatalog } from "../features/operations/action-catalog.ts";
import { startTestHub } from "../testing/test-hub.ts";

type Node = Record<string, unknown>;
type Operation = { parameters: { name: string; in: string; schema: Node }[] };

type Described = { summary: string; responses: Record<string, { content?: Record<string, { example?: unknown }> }> };

const addFormats = addFormatsModule as unknown as typeof addFormatsModule.default;
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
      (name) => !["type", "anyOf", "$ref"].some((key) => key in properties[name]!),
    );
    expect(untyped).toEqual(["value", "default"]);
    const condition = { $ref: "#/components/schemas/Condition" };
    expect([properties.when, properties.where]).toMatchObject([condition, condition]);
    expect(properties.transforms).toMatchObject({ items: { $ref: "#/components/schemas/MappingTransform" } });
    expect(properties.onError).toMatchObject({ type: "string", enum: ["fail", "skip", "default", "null"] });
  });

  test("describes conditions at every depth", () => {
    const { anyOf } = document.components.schemas.Condition as { anyOf: { properties: Record<string, Node> }[] };
    expect(anyOf.map(({ properties }) => Object.keys(properties))).toEqual([
      ["path", "op", "value"],
      ["count", "where", "op", "value"],
      ["sum", "where", "op", "value"],
      ["any_of", "where"],
      ["all_of", "where"],
      ["all"],
      ["any"],
      ["not"],
    ]);
    expect(anyOf.at(-1)!.properties.not).toEqual({ $ref: "#/components/schemas/Condition" });
  });

  test("types actions and events by their type", () => {
    const { schemas } = document.components;
    const actions = document.paths["/api/v1/operations/run"].post.requestBody.content["application/json"].schema;
    expect(actions.properties.actions.items).toEqual({ $ref: "#/components/schemas/PipelineAction" });
    for (const [name, types] of [
      ["PipelineAction", actionCatalog.map(({ type }) => type)],
      ["Event", eventTypes],
    ] as const) {
      const { oneOf, discriminator } = schemas[name];
      expect(discriminator.propertyName).toBe("type");
      expect(Object.keys(discriminator.mapping)).toEqual([...types]);
      expect(oneOf.map(({ $ref }: { $ref: string }) => $ref)).toEqual(Object.values(discriminator.mapping));
    }
    expect(schemas.AddTagsAction).toMatchObject({
      required: ["type", "params"],
      properties: { type: { const: "add_tags" }, params: { required: ["tags"] } },
      additionalProperties: false,
    });
    expect(schemas.OrderUpdatedEvent.allOf[1].properties.data.properties).toHaveProperty("items");
    for (const name of ["SavedPipeline", "OperationRun"])
      expect(schemas[name].properties.actions.items).toEqual({ $ref: "#/components/schemas/PipelineAction" });
  });

  test("has the names of filters as enums, and rows of bulk requests by their schema", () => {
    const { OrderFilter } = document.components.schemas;
    const [one, list] = OrderFilter.properties.status.anyOf;
    expect(one.enum).toContain("ready");
    expect(list).toMatchObject({ type: "array", items: { enum: one.enum } });
    const bulk = document.paths["/api/v1/orders/bulk"].post.requestBody.content["application/json"].schema;
    expect(bulk.properties.orders.items).toMatchObject({ $ref: "#/components/schemas/OrderRequest" });
  });

  test("has an example for every JSON answer, which matches its schema", () => {
    const ajv = addFormats(new Ajv2020({ strict: false, allErrors: true, code: { optimize: false } }));
    ajv.addFormat("date-or-date-time", true);
    ajv.addSchema({ $id: "document", ...document });
    const wrong: string[] = [];
    let examples = 0;
    for (const [path, methods] of Object.entries(document.paths as Record<string, Record<string, Described>>)) {
      for (const [method, { responses }] of Object.entries(methods)) {
        for (const [status, { content = {} }] of Object.entries(responses)) {
          const answer = content["application/json"];
          if (!answer) continue;
          examples++;
          const at = ["paths", path, method, "responses", status, "content", "application/json", "schema"];
          const pointer = at.map((part) => encodeURIComponent(part.replaceAll("/", "~1"))).join("/");
          const isValid = ajv.validate({ $ref: `document#/${pointer}` }, answer.example);
          if (!isValid) wrong.push(`${method} ${path} ${status}: ${ajv.errorsText()}`);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(examples).toBeGreaterThan(200);
  });

  test("has summaries of less than 60 characters", () => {
    const groups: Record<string, Described>[] = Object.values({ ...document.paths, ...document.webhooks });
    const summaries = groups.flatMap((methods) => Object.values(methods).map(({ summary }) => summary));
    expect(summaries.filter((summary) => summary.length >= 60)).toEqual([]);
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
