import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createGatewayRoutes, gatewayPrefix } from "../gateway/gateway-routes.ts";
import type { Route } from "../route.ts";
import { verbsOf } from "../route.ts";
import { apiPrefix, routesOf } from "./routes.ts";

const main = { prefix: apiPrefix, routes: routesOf("preview"), isServed: true };
const gateway = createGatewayRoutes({ main, checkHealth: async () => ({ isReady: true, checks: {} }) });
const all: Route[] = [...main.routes, ...gateway];

describe("the name of a route", () => {
  test("is unique", () => {
    const names = all.map(({ name }) => name);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  });

  test("has its path in camelCase first, and a verb of its method last", () => {
    const camel = (text: string): string => text.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    const odd = all.filter(({ method, path: where, name }) => {
      const parts = name.split(".");
      const group = gateway.some((route) => route.name === name) ? "gateway" : camel(where.split("/")[1]!);
      const verbs: readonly string[] = verbsOf[method];
      return (
        parts[0] !== group || !verbs.includes(parts.at(-1)!) || !parts.every((part) => /^[a-z][A-Za-z]*$/.test(part))
      );
    });
    expect(odd.map(({ name }) => name)).toEqual([]);
  });

  test("every listed verb is used", () => {
    const used = new Set(all.map(({ method, name }) => `${method} ${name.split(".").at(-1)}`));
    const listed = Object.entries(verbsOf).flatMap(([method, verbs]) => verbs.map((verb) => `${method} ${verb}`));
    expect(listed.filter((verb) => !used.has(verb))).toEqual([]);
  });

  // Clients, commands and tools are called by it. A new route adds a line; no line is changed or taken away.
  test("is the one in docs/route-names.txt", () => {
    const file = path.join(import.meta.dirname, "../../../docs/route-names.txt");
    const lines = [
      ...main.routes.map((route) => `${route.name} ${route.method} ${apiPrefix}${route.path}`),
      ...gateway.map((route) => `${route.name} ${route.method} ${gatewayPrefix}${route.path}`),
    ];
    expect(readFileSync(file, "utf8").trimEnd().split("\n")).toEqual(lines.toSorted());
  });
});
