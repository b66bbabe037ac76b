import type { TSchema } from "typebox";
import { expect, test } from "vitest";
import { createFinder } from "../core/validation.ts";
import { findConnector, installedConnectors } from "./installed-connectors.ts";

type Shape = {
  title?: string;
  description?: string;
  properties?: Record<string, Shape>;
  items?: Shape;
  anyOf?: Shape[];
  examples?: unknown[];
  "x-widget"?: string;
};

/** Every field that a form would draw, also those inside of others. */
function fieldsOf(schema: Shape, at: string): Array<[path: string, field: Shape]> {
  const own = Object.entries(schema.properties ?? {}).map(([name, field]) => [`${at}/${name}`, field] as const);
  const inner = own.flatMap(([path, field]) => fieldsOf(field, path));
  return [
    ...own.map(([path, field]): [string, Shape] => [path, field]),
    ...inner,
    ...(schema.items ? fieldsOf(schema.items, at) : []),
  ];
}

test.each(installedConnectors)(
  "$name can be set up in a form: each field has a title, and secrets are not shown",
  (connector) => {
    const [example = {}] = (connector.settings as Shape).examples ?? [];
    const inputs = connector
      .tasks(example as Record<string, unknown>)
      .map(({ name, input }) => fieldsOf(input as Shape, name));
    const credentials = fieldsOf(connector.credentials, "credentials");
    const all = [...fieldsOf(connector.settings, "settings"), ...credentials, ...inputs.flat()];
    expect(all.filter(([, { title }]) => !title).map(([path]) => path)).toEqual([]);
    const shown = credentials.filter((one) => one[1]["x-widget"] !== "password").map(([path]) => path);
    const names = ["credentials/username", "credentials/clientId", "credentials/consumerKey"];
    expect(shown.filter((path) => !names.includes(path))).toEqual([]);
  },
);

test("a connector is found by its name", () => {
  expect(installedConnectors.map(({ name }) => name)).toEqual([
    "demo",
    "rest",
    "shopify",
    "woocommerce",
    "csv",
    "smtp",
    "hub",
  ]);
  expect(findConnector("shopify")?.title).toBe("Shopify");
  expect(findConnector("toString")).toBeUndefined();
});

test.each(installedConnectors)(
  "$name explains its settings and credentials, with examples that are valid",
  (connector) => {
    const { settings, credentials } = connector as unknown as Record<"settings" | "credentials", Shape & TSchema>;
    for (const schema of [settings, credentials]) {
      for (const [name, property] of Object.entries(schema.properties ?? {})) {
        const hasChildren = property.properties !== undefined;
        expect(hasChildren || property.title, `${name} needs a title`).toBeTruthy();
        expect(
          hasChildren || property.title === "Tasks" || property.description,
          `${name} needs a description`,
        ).toBeTruthy();
      }
      if (Object.keys(schema.properties ?? {}).length > 0) expect(schema.examples?.length).toBeGreaterThan(0);
      for (const example of schema.examples ?? []) expect(createFinder(schema, "body")(example)).toEqual([]);
    }
    const limits = { allowPrivate: false, filesRoot: "files" };
    for (const example of settings.examples ?? []) {
      expect(connector.check?.(example as Record<string, unknown>, limits) ?? []).toEqual([]);
    }
  },
);

test.each(installedConnectors)(
  "$name has a connection test, and tasks with unique names and valid examples",
  (connector) => {
    const [example = {}] = (connector.settings as unknown as Shape).examples ?? [];
    const tasks = connector.tasks(example as Record<string, unknown>);
    const names = tasks.map(({ name }) => name);
    expect(names).toContain("connection.test");
    expect(new Set(names).size).toBe(names.length);
    for (const task of tasks) {
      expect(task.title && task.description, task.name).toBeTruthy();
      expect(task.timeoutMs, task.name).toBeGreaterThan(0);
      const { examples = [] } = task.input as unknown as Shape;
      for (const input of examples) expect(createFinder(task.input, "body")(input), task.name).toEqual([]);
    }
  },
);
