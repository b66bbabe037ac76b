import { readFileSync } from "node:fs";
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { blocksOf } from "../testing/document-blocks.ts";
import { repository } from "../testing/launch-hub.ts";
import { startTestHub } from "../testing/test-hub.ts";

/** Blocks of JSON that are an answer or a part of a request, sent to a hub as their name says. Other names have tests beside their features. */
const hub = await startTestHub();
const org = await hub.org();

const parsedBlocks = (file: string, name: string) =>
  blocksOf(file)
    .filter(({ language, note }) => language === "json" && note === name)
    .map(({ line, code }) => ({ file, line, block: JSON.parse(code) as Record<string, unknown> }));

const actions = [...parsedBlocks("docs/actions.md", "action"), ...parsedBlocks("docs/action-reference.md", "action")];

test.each(actions)("$file, line $line: a pipeline with this action is valid", async ({ line, block }) => {
  const { body } = await org.post("/operations/pipelines", { name: `Line ${line}`, actions: [block] });
  const { errors = [] } = body as { errors?: { code: string }[] };
  // The IDs of an example are those of a reader's records.
  const others = errors.filter(({ code }) => !/^(?:user|location|bridge)_not_found$/.test(code));
  expect(others).toEqual([]);
  expect(body.id ?? errors[0]?.code).toEqual(expect.any(String));
});

test.each(parsedBlocks("docs/actions.md", "bridge"))("$file, line $line: is a bridge", async ({ block }) => {
  const { status, text } = await org.post("/bridges", block);
  expect(status, text).toBe(201);
});

test.each(parsedBlocks("docs/connect/woocommerce.md", "woocommerce-settings"))(
  "$file, line $line: are settings of a bridge",
  async ({ block }) => {
    const credentials = { consumerKey: "ck_1", consumerSecret: "cs_1" };
    const bridge = { name: "Shop", connector: "woocommerce", settings: block, credentials };
    const { status, text } = await org.post("/bridges", bridge);
    expect(status, text).toBe(201);
  },
);

test.each(parsedBlocks("docs/printing.md", "print-settings"))("$file, line $line: can be set", async ({ block }) => {
  const { status, body } = await org.patch("/documents/settings", block);
  expect(status, JSON.stringify(body)).toBe(200);
  expect(body).toMatchObject(block);
});

test.each(parsedBlocks("docs/event-feed.md", "event"))("$file, line $line: is an event", ({ block }) => {
  const document = JSON.parse(readFileSync(path.join(repository, "docs/openapi.json"), "utf8")) as object;
  const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema({ $id: "openapi", ...document });
  const { type } = block as { type: string };
  const name = type.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase());
  const validate = ajv.compile({ $ref: `openapi#/components/schemas/${name}Event` });
  expect(validate(block), ajv.errorsText(validate.errors)).toBe(true);
});

test.each(parsedBlocks("docs/mcp.md", "mcp-servers"))("$file, line $line: leads to the hub", async ({ block }) => {
  const { mcpServers } = block as {
    mcpServers: Record<string, { url?: string; command?: string; args?: string[]; env?: object }>;
  };
  for (const { url, command, args = [], env = {} } of Object.values(mcpServers)) {
    if (url === undefined) {
      // Started in any folder: a path of the checkout would not be found.
      expect([command, args, Object.keys(env)]).toEqual(["hub", ["mcp"], ["HUB_URL", "HUB_API_KEY"]]);
      continue;
    }
    const { status } = await fetch(hub.url + new URL(url).pathname, { method: "POST", body: "{}" });
    // Without a key.
    expect(status).toBe(401);
  }
});

test("each of these pages has its blocks", () => {
  const named = { bridge: "actions", "print-settings": "printing", event: "event-feed", "mcp-servers": "mcp" };
  for (const [name, page] of Object.entries(named)) expect(parsedBlocks(`docs/${page}.md`, name)).not.toEqual([]);
  expect(parsedBlocks("docs/connect/woocommerce.md", "woocommerce-settings")).toHaveLength(1);
  expect(actions.length).toBeGreaterThan(40);
});
