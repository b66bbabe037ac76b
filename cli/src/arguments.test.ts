import { expect, test } from "vitest";
import { parseAction } from "./action-arguments.ts";
import type { Command } from "./command.ts";
import { timeOf } from "./follow-events.ts";
import { idsOf, isWrite, kebab } from "./operation.ts";
import { operations } from "./operations-table.ts";
import { parseArguments } from "./parse-arguments.ts";
import { parseUrl } from "./connection.ts";
import { splitPair, valueOf } from "./values.ts";

const command: Command = {
  summary: "",
  usage: "ID",
  args: { min: 0, max: 1 },
  options: {
    yes: { type: "boolean", short: "y", text: "" },
    output: { type: "string", short: "o", values: ["json", "csv"], text: "" },
    tag: { type: "string", multiple: true, text: "" },
    archived: { type: "boolean", text: "" },
  },
  run: () => Promise.resolve(undefined),
};

test("options are read in all their forms", () => {
  const given = parseArguments(["-y", "x", "-o", "json", "--tag", "a", "--tag=b,c", "--no-archived"], command);
  expect([given.flag("yes"), given.text("output"), given.list("tag"), given.flag("archived"), given.args]).toEqual([
    true,
    "json",
    ["a", "b,c"],
    false,
    ["x"],
  ]);
  expect(parseArguments(["-ojson"], command).text("output")).toBe("json");
  expect(parseArguments(["--tag", "-1"], command).list("tag")).toEqual(["-1"]);
  expect(parseArguments(["--", "-x"], command).args).toEqual(["-x"]);
  expect(parseArguments(["-o", "json", "-o", "csv"], command).text("output")).toBe("csv");
});

test("what the command does not take is refused", () => {
  for (const [typed, message] of [
    [["--otput", "json"], "Did you mean --output?"],
    [["--__proto__"], "there is no option"],
    [["--tag"], "--tag needs a value"],
    [["--tag", "--yes"], "--tag needs a value"],
    [["--yes=1"], "takes no value"],
    [["-o", "jsn"], "Did you mean json?"],
    [["a", "b"], 'unexpected argument "b"'],
  ] as const)
    expect(() => parseArguments([...typed], command), typed.join(" ")).toThrow(message);
});

test("values have the type of their field", () => {
  const field = { name: "x", type: "number" } as const;
  expect(valueOf("1.5", field, "--x")).toBe(1.5);
  for (const typed of ["", " ", "1e999", "one"])
    expect(() => valueOf(typed, field, "--x")).toThrow("--x must be a number");
  const list = { name: "x", type: "string", isList: true } as const;
  expect(valueOf("a, b", list, "--x")).toEqual(["a", "b"]);
  expect(valueOf('["a,b"]', list, "--x")).toEqual(["a,b"]);
  expect(valueOf('{"a":1}', { name: "x", type: "json" }, "--x")).toEqual({ a: 1 });
  expect(() => valueOf("yes", { name: "x", type: "boolean" }, "--x")).toThrow("true or false");
  expect(splitPair("a=b=c", "--x")).toEqual(["a", "b=c"]);
  expect(() => splitPair("=b", "--x")).toThrow("name=value");
});

test("an action is a type and params, whose values may have commas", () => {
  const known = [
    {
      type: "add_tags",
      params_schema: {
        properties: {
          tags: { type: "array", items: { type: "string" } },
          note: { type: "string" },
          days: { type: "integer" },
        },
      },
    },
    { type: "archive", params_schema: {} },
  ];
  expect(parseAction("archive", known)).toEqual({ type: "archive" });
  expect(parseAction("add_tags:tags=a,b,note=Call, please,days=2", known)).toEqual({
    type: "add_tags",
    params: { tags: ["a", "b"], note: "Call, please", days: 2 },
  });
  expect(() => parseAction("add_tag:tags=a", known)).toThrow("Did you mean add_tags?");
  expect(() => parseAction("add_tags:tgas=a", known)).toThrow("Did you mean tags?");
  expect(() => parseAction("add_tags:tags", known)).toThrow("name=value");
});

test("addresses are origins, whatever was pasted", () => {
  expect(parseUrl("localhost:8080")).toBe("http://localhost:8080");
  expect(parseUrl("https://hub.example.com/api/v1/")).toBe("https://hub.example.com");
  expect(parseUrl("https://example.com/hub/")).toBe("https://example.com/hub");
  expect(() => parseUrl("http://")).toThrow("no address of a hub");
});

test("times are moments, or how long ago", () => {
  expect(timeOf("2026-11-02T09:30:00Z")).toBe("2026-11-02T09:30:00.000Z");
  const ago = Date.parse(timeOf("2h"));
  expect(Date.now() - ago).toBeGreaterThanOrEqual(7_200_000);
  expect(Date.now() - ago).toBeLessThan(7_260_000);
  expect(() => timeOf("15 minutes")).toThrow("--since must be");
});

test("every operation is a command with options of its own", () => {
  expect(operations.size).toBeGreaterThan(200);
  const reserved = ["hub", "profile", "output", "fields", "yes", "help", "data", "file", "all", "if-match", "timeout"];
  for (const [name, operation] of operations) {
    expect(name).toMatch(/^[a-z][a-z -]*$/);
    const fields = [...(operation.query ?? []), ...(operation.body ?? [])].map((field) => kebab(field.name));
    expect({ name, taken: fields.filter((field) => reserved.includes(field)) }).toEqual({ name, taken: [] });
  }
  expect(idsOf(operations.get("webhooks deliveries get")!)).toEqual(["id", "deliveryId"]);
  expect(
    ["orders list", "operations preflight", "operations run"].map((name) => isWrite(operations.get(name)!)),
  ).toEqual([false, false, true]);
});
