import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { afterFile } from "../../testing/after-file.ts";
import { makeSecret, signedHeaders, signerOf } from "./webhook-signing.ts";

const guide = readFileSync(path.join(import.meta.dirname, "../../../../docs/webhooks.md"), "utf8");
const folder = mkdtempSync(path.join(tmpdir(), "hub-guide-"));
afterFile(() => rmSync(folder, { recursive: true }));

function codeIn(language: string): string {
  const code = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "ms").exec(guide)?.[1];
  if (code === undefined) throw new Error(`the guide has no ${language}`);
  return code;
}

const [old, fresh, other] = [makeSecret("hmac"), makeSecret("hmac"), makeSecret("hmac")];
const body = '{"type":"order.updated","data":{"items":[{"number":"Ä-1"}]}}';
const signers = [fresh, old].map(({ kept }) => signerOf("hmac", kept));
const sentAt = (at: Date) => signedHeaders({ id: crypto.randomUUID(), at, body }, signers);
/** What is verified, and whether it should be. */
const cases: { body: string; headers: Record<string, string>; secrets: string[]; isValid: boolean }[] = [
  { body, headers: sentAt(new Date()), secrets: [old.shown!], isValid: true },
  { body, headers: sentAt(new Date()), secrets: [other.shown!, fresh.shown!], isValid: true },
  { body, headers: sentAt(new Date()), secrets: [other.shown!], isValid: false },
  { body: `${body} `, headers: sentAt(new Date()), secrets: [old.shown!], isValid: false },
  { body, headers: sentAt(new Date(Date.now() - 600_000)), secrets: [old.shown!], isValid: false },
  // As anyone may send: the example must reject them, not fail.
  { body, headers: {}, secrets: [old.shown!], isValid: false },
  { body, headers: { ...sentAt(new Date()), "webhook-timestamp": "soon" }, secrets: [old.shown!], isValid: false },
  {
    body,
    headers: { ...sentAt(new Date()), "webhook-signature": "v1 é,é v1," },
    secrets: [old.shown!],
    isValid: false,
  },
];
const wanted = cases.map(({ isValid }) => isValid);

test("the TypeScript example of the guide accepts the hub's deliveries, and rejects others", async () => {
  const file = path.join(folder, "verify.ts");
  writeFileSync(file, codeIn("ts"));
  type Guide = { verifyWebhook(body: string, headers: Record<string, string>, secrets: string[]): boolean };
  const { verifyWebhook } = (await import(pathToFileURL(file).href)) as Guide;
  expect(cases.map((one) => verifyWebhook(one.body, one.headers, one.secrets))).toEqual(wanted);
});

const hasPython = spawnSync("python3", ["--version"]).status === 0;

test.runIf(hasPython)("the Python example of the guide does the same", () => {
  const calls = `
import json, sys
print(json.dumps([verify_webhook(c["body"].encode(), c["headers"], c["secrets"]) for c in json.load(sys.stdin)]))
`;
  const { stdout, stderr } = spawnSync("python3", ["-c", codeIn("python") + calls], { input: JSON.stringify(cases) });
  expect(stderr.toString()).toBe("");
  expect(JSON.parse(stdout.toString())).toEqual(wanted);
});
