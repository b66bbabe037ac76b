import { expect, test } from "vitest";
import { carriers } from "../../carriers/installed-carriers.ts";
import { carrierProblems } from "../../carriers/check-carrier.ts";
import { connectorProblems } from "../../connectors/check-connector.ts";
import { presetProblems } from "../../connectors/csv/check-preset.ts";
import { orderPresets } from "../../connectors/csv/order-presets.ts";
import { installedConnectors } from "../../connectors/installed-connectors.ts";
import { Strict } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";
import { numberTransform } from "../../features/transformations/language/transform.ts";
import { checkPlugin } from "./check-plugin.ts";

const action = {
  type: "acme.try",
  title: "Try",
  group: "organize",
  description: "What a test says.",
  params: Strict({ shelf: Type.String({ maxLength: 5 }) }),
  example: { shelf: "B4" },
  apply: () => ({ patch: {} }),
};
const call = { title: "Test", description: "Tests.", mode: "call", timeoutMs: 1, idempotent: true };
const test1 = { ...call, name: "connection.test", input: Strict({}), output: Type.Object({}), run: () => {} };
const connector = {
  name: "acme.shop",
  title: "Acme",
  description: "Acme's shop.",
  settings: Strict({}),
  credentials: Strict({}),
  concurrency: 1,
  tasks: () => [test1],
};
const preset = {
  name: "acme.file",
  title: "Acme",
  signatures: [["Order"]],
  columns: { Order: "number", Color: "customFields.color", Fee: null },
};
const { name: _name, ...aCarrier } = carriers.find(({ name }) => name === "demo")!;
const carrier = { ...aCarrier, name: "acme.parcel" };
const transform = numberTransform({
  name: "acme.double",
  text: "Twice the number",
  example: { from: 2, to: 4 },
  compile: () => (value) => value * 2,
});

const whole = {
  api: "1.0",
  namespace: "acme",
  actions: [action],
  connectors: [connector],
  carriers: [carrier],
  transforms: [transform],
  csvPresets: [preset],
};

function problemsOf(given: unknown): string[] {
  const checked = checkPlugin(given);
  return "problems" in checked ? checked.problems : [];
}

test("a plug-in with parts of every kind is accepted", () => {
  expect(problemsOf(whole)).toEqual([]);
});

const password = Type.String({ title: "Key", "x-widget": "password" });

test.each<[string, unknown, string]>([
  ["no export", undefined, "it exports no `plugin`"],
  ["no parts", { api: "1.0", namespace: "acme" }, "it has no parts"],
  ["empty lists", { api: "1.0", namespace: "acme", actions: [] }, "it has no parts"],
  ["a misspelt list", { ...whole, conectors: [] }, "a plug-in has no conectors; did you mean connectors?"],
  ["a list that is none", { ...whole, actions: action }, "actions must be a list of objects"],
  ["an entry that is none", { ...whole, actions: [null] }, "actions must be a list of objects"],
  ["no version", { ...whole, api: undefined }, 'api must be the version of the plug-in API, such as "1.0"'],
  ["a number as version", { ...whole, api: 1 }, "api must be the version"],
  ["an older version", { ...whole, api: "0.9" }, "Install a newer version of the plug-in."],
  ["a newer version", { ...whole, api: "1.1" }, "this hub has 1.0. Upgrade the hub."],
  ["a much newer version", { ...whole, api: "2.0" }, "Upgrade the hub."],
  ["no namespace", { ...whole, namespace: undefined }, "namespace must have 2 to 20"],
  ["a namespace with a dot", { ...whole, namespace: "ac.me" }, "namespace must have 2 to 20"],
  ["a name of the hub", { ...whole, actions: [{ ...action, type: "hold" }] }, "action hold: its name must be acme."],
  ["another namespace", { ...whole, connectors: [{ ...connector, name: "rival.shop" }] }, "its name must be acme."],
  ["no name", { ...whole, actions: [{ ...action, type: undefined }] }, "its name must be acme."],
  ["no title", { ...whole, actions: [{ ...action, title: " " }] }, "action acme.try: it needs a title"],
  ["an example that does not fit", { ...whole, actions: [{ ...action, example: { shelf: "too long" } }] }, "/shelf"],
  ["no example", { ...whole, actions: [{ ...action, example: undefined }] }, "does not fit its schema"],
  ["params that are no schema", { ...whole, actions: [{ ...action, params: "x" }] }, "params must be a JSON Schema"],
  [
    "a schema that cannot be compiled",
    { ...whole, actions: [{ ...action, params: { type: "object", properties: { a: { type: "strin" } } } }] },
    "params is not a valid JSON Schema",
  ],
  ["a group", { ...whole, actions: [{ ...action, group: "misc" }] }, "group must be one of workflow"],
  ["a status", { ...whole, actions: [{ ...action, statuses: ["raedy"] }] }, "raedy are no statuses"],
  ["a scope", { ...whole, actions: [{ ...action, scope: "all" }] }, "there is no scope all"],
  ["an async action", { ...whole, actions: [{ ...action, apply: async () => ({}) }] }, "apply must not be async"],
  ["an action without code", { ...whole, actions: [{ ...action, apply: 1 }] }, "apply must be a function"],
  [
    "tasks that throw",
    {
      ...whole,
      connectors: [
        {
          ...connector,
          tasks() {
            throw new Error("no settings");
          },
        },
      ],
    },
    "connector acme.shop: tasks failed: no settings",
  ],
  ["no connection test", { ...whole, connectors: [{ ...connector, tasks: () => [] }] }, "no task connection.test"],
  [
    "a task without code",
    { ...whole, connectors: [{ ...connector, tasks: () => [{ ...test1, run: undefined }] }] },
    "task connection.test needs a function run",
  ],
  [
    "two tasks of one name",
    { ...whole, connectors: [{ ...connector, tasks: () => [test1, test1] }] },
    "another task has this name",
  ],
  [
    "credentials without an address",
    { ...whole, connectors: [{ ...connector, credentials: Strict({ key: password }) }] },
    "sendsTo is required",
  ],
  [
    "a secret in clear text",
    { ...whole, connectors: [{ ...connector, credentials: Strict({ key: Type.String({ title: "Key" }) }) }] },
    'credentials/key needs "x-widget": "password"',
  ],
  [
    "a setting without a label",
    { ...whole, connectors: [{ ...connector, settings: Strict({ url: Type.Optional(Type.String()) }) }] },
    "settings/url needs a title",
  ],
  ["no concurrency", { ...whole, connectors: [{ ...connector, concurrency: 0 }] }, "concurrency must be"],
  ["a carrier without rules", { ...whole, carriers: [{ ...carrier, pickupRules: {} }] }, "pickupRules"],
  ["a carrier's verb", { ...whole, carriers: [{ ...carrier, track: "yes" }] }, "track must be a function"],
  ["label files", { ...whole, carriers: [{ ...carrier, labelTypes: ["text/html"] }] }, "labelTypes may be"],
  [
    "a transform whose example is wrong",
    { ...whole, transforms: [{ ...transform, example: { from: 2, to: 5 } }] },
    "its example says that 2 becomes 5, but it becomes 4",
  ],
  ["a transform made by hand", { ...whole, transforms: [{ ...transform, compile: undefined }] }, "make it with"],
  ["a field of a file", { ...whole, csvPresets: [{ ...preset, columns: { Order: "nubmer" } }] }, "no field nubmer"],
  ["a file that nothing recognises", { ...whole, csvPresets: [{ ...preset, signatures: [] }] }, "signatures"],
])("refused at the start: %s", (_name, given, problem) => {
  expect(problemsOf(given).join("\n")).toContain(problem);
});

test("all problems are reported at once", () => {
  const wrong = { ...action, title: "", group: "misc" };
  expect(problemsOf({ ...whole, actions: [wrong], csvPresets: [{ ...preset, title: "" }] })).toEqual([
    "action acme.try: it needs a title",
    "action acme.try: group must be one of workflow, organize, routing, shipping, fulfillment, payment, integration",
    "CSV preset acme.file: it needs a title",
  ]);
});

test("the hub's own parts follow the same rules", () => {
  expect(installedConnectors.flatMap(connectorProblems)).toEqual([]);
  expect(carriers.flatMap(carrierProblems)).toEqual([]);
  expect(orderPresets.flatMap(presetProblems)).toEqual([]);
});
