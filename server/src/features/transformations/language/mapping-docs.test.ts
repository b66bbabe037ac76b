import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { codeBlocks } from "../../../testing/code-blocks.ts";
import { compileMapping } from "./compile-mapping.ts";
import { mappingFields } from "./normalise-mapping.ts";
import { runMapping } from "./run-mapping.ts";
import { traceMapping } from "./trace-mapping.ts";
import { transformCatalog } from "./transform-catalog.ts";

const page = readFileSync(new URL("../../../../../docs/mapping.md", import.meta.url), "utf8");
const now = () => new Date("2026-03-01T09:00:00Z");

type Example = { data: object; mappings: unknown[]; output: object };

test.each(codeBlocks(page, "json mapping"))("the example of docs/mapping.md in line $line is true", ({ block }) => {
  const { data, mappings, output } = block as Example;
  const compiled = compileMapping(mappings, () => undefined);
  if (Array.isArray(compiled)) throw new Error(JSON.stringify(compiled));
  expect(runMapping(compiled, data, now)).toEqual({ ok: true, output });
  // Nothing in it is a mistake that its reader would copy.
  const warnings = traceMapping(compiled, data, now).warnings.filter(({ target }) => target !== "customer.phone");
  expect(warnings).toEqual([]);
});

test("docs/mapping.md describes every field of a mapping and every transform", () => {
  const told = new Set([...page.matchAll(/`(\w+)`/g)].map(([, name]) => name));
  const names = [...mappingFields, ...transformCatalog.map(({ name }) => name)];
  expect(names.filter((name) => !told.has(name))).toEqual([]);
});
