import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const root = path.join(import.meta.dirname, "src");

/** A folder may import itself and the folders listed after its name. */
const layers: Record<string, string[]> = {
  ui: [],
  live: ["ui"],
  features: ["ui", "live"],
  app: ["ui", "live", "features"],
  main: ["ui", "live", "features", "app"],
};
/** Imported from every layer and imports nothing: it holds the addresses of all pages. */
const leaves = ["app/paths.ts"];

const files = (readdirSync(root, { recursive: true }) as string[]).filter((file) => /\.tsx?$/.test(file));

type Import = { from: string; to: string };

function importsOf(file: string): Import[] {
  const text = readFileSync(path.join(root, file), "utf8");
  return [...text.matchAll(/\b(?<!\/)(?:from|import\(?)\s*"([^"]+)"/g)].map(([, target]) => ({
    from: file,
    to: target!.startsWith(".") ? path.join(path.dirname(file), target!) : target!,
  }));
}

const layerOf = (file: string): string => (file.includes("/") ? file.split("/", 1)[0]! : "main");
const isOurs = (to: string): boolean => /\.tsx?$/.test(to) && !to.startsWith("..");

function violations(check: (found: Import) => boolean): string[] {
  return files
    .flatMap(importsOf)
    .filter(check)
    .map(({ from, to }) => `${from} -> ${to}`);
}

test("imports go one way: sdk and ui, live, features, app", () => {
  expect(
    violations(({ from, to }) => {
      const [layer, target] = [layerOf(from), layerOf(to)];
      return isOurs(to) && !leaves.includes(to) && layer !== target && !layers[layer]!.includes(target);
    }),
  ).toEqual([]);
});

test("a leaf imports nothing", () => {
  expect(violations(({ from }) => leaves.includes(from))).toEqual([]);
});

test("the console is only a client: it imports the SDK and no other package of ours", () => {
  expect(
    violations(({ to }) => to.startsWith("..") || (to.startsWith("@order-operations-hub/") && !to.includes("/sdk/"))),
  ).toEqual([]);
});

test("a feature imports only queries and pickers of another feature", () => {
  expect(
    violations(({ from, to }) => {
      const [, own] = from.split("/");
      const [layer, other] = to.split("/");
      if (layerOf(from) !== "features" || layer !== "features" || other === own) return false;
      return !/\.(queries|pick)\.tsx?$/.test(to);
    }),
  ).toEqual([]);
});

test("ui components are independent of the domain: they send no requests", () => {
  expect(violations(({ from, to }) => layerOf(from) === "ui" && to.includes("/sdk/client"))).toEqual([]);
  expect(violations(({ from, to }) => layerOf(from) === "ui" && to === "@tanstack/react-query")).toEqual([]);
});

test("a query key belongs to one request: queries with the same key would read each other's responses", () => {
  const keys = files
    .filter((file) => file.endsWith(".queries.ts"))
    .flatMap((file) => [...readFileSync(path.join(root, file), "utf8").matchAll(/queryKey: \[([^\]]*)\]/g)])
    .map(([, parts]) =>
      parts!
        .split(", ")
        .map((part) => (part.startsWith('"') ? part : "*"))
        .join(", "),
    );
  expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([]);
});

test("only live and queries send requests to the hub", () => {
  const fetching = files.filter((file) =>
    /\bfetch\(|new EventSource|XMLHttpRequest/.test(readFileSync(path.join(root, file), "utf8")),
  );
  expect(fetching).toEqual([]);
});

test("addresses come from paths.ts", () => {
  const links = files
    .filter((file) => !leaves.includes(file) && file !== "app/routes.tsx")
    .filter((file) =>
      /(?:href=|push\(|replace\()["`]\/(?!api\/|docs)/.test(readFileSync(path.join(root, file), "utf8")),
    );
  expect(links).toEqual([]);
});
