import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { apiPrefix, routesOf } from "../http/routes.ts";
import { codeBlocks } from "../testing/code-blocks.ts";
import { connectMcp } from "../testing/mcp-client.ts";
import { startTestHub } from "../testing/test-hub.ts";
import { createTools } from "./tool-list.ts";

const page = readFileSync(new URL("../../../docs/mcp.md", import.meta.url), "utf8");

const hub = await startTestHub();
const org = await hub.org();

type Example = { tool: string; arguments: Record<string, unknown>; answer: object };

/** Texts such as `<id>` stand for fields of earlier answers. */
function fillIn(value: unknown, known: Record<string, unknown>): unknown {
  const text = JSON.stringify(value).replaceAll(/"<(\w+)>"/g, (_, name: string) => JSON.stringify(known[name]));
  return JSON.parse(text) as unknown;
}

test("the examples of docs/mcp.md work, one after the other", async () => {
  for (const number of ["A-1001", "A-1002"]) await org.post("/orders", { number, status: "ready" });
  const key = /```json key\n(.*?)```/s.exec(page)![1]!;
  const { key: token } = (await org.post("/api-keys", JSON.parse(key))).body;
  const { call } = await connectMcp(hub.url, token);
  const examples = codeBlocks(page, "json tool");
  expect(examples.length).toBeGreaterThan(3);
  let known: Record<string, unknown> = {};
  for (const { line, block } of examples) {
    const { tool, arguments: args, answer } = block as Example;
    const { body } = await call(tool, fillIn(args, known) as Record<string, unknown>);
    expect(body, `docs/mcp.md, line ${line}`).toMatchObject(answer);
    known = { ...known, ...body };
  }
});

test("docs/mcp.md describes every tool with its scope and what it needs", () => {
  const rows = [...page.matchAll(/^\| `(\w+)` +\| (?:`([\w:]+)`|any) +\|[^|]+\| +(?:`(\w+)`)? +\|$/gm)];
  const described = rows.map(([, name, scope = "any", token]) => ({ name, scope, token }));
  const expected = createTools(routesOf("live"), apiPrefix).map(({ name, scope, annotations, inputSchema }) => {
    const { confirm } = inputSchema.properties as { confirm?: object };
    const token = annotations.readOnlyHint ? undefined : confirm ? "confirm" : "preflight_token";
    return { name, scope, token };
  });
  const byName = (a: { name?: string | undefined }, b: { name?: string | undefined }): number =>
    String(a.name).localeCompare(String(b.name));
  expect(described.toSorted(byName)).toEqual(expected.toSorted(byName));
});
