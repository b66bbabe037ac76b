import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { callFor, pullAll, taskOf } from "./connector-calls.ts";
import { rest } from "../connectors/rest/rest.ts";

test("the stand-in shop runs in its own process, is controlled over HTTP and writes its journal to a file", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "stand-in-"));
  const journal = path.join(folder, "journal.jsonl");
  const script = path.join(import.meta.dirname, "stand-in-shop.ts");
  const child = spawn(process.execPath, [script, "--port", "0", "--journal", journal, "--orders", "5"]);
  try {
    const line = await new Promise<string>((resolve, reject) => {
      child.stdout.once("data", (chunk: Buffer) => resolve(chunk.toString()));
      child.once("exit", (code) => reject(new Error(`ended with ${code}`)));
    });
    const { url, token } = JSON.parse(line) as { url: string; token: string };
    await fetch(`${url}/_control/orders`, { method: "POST", body: '{"count":2}' });
    await fetch(`${url}/_control/faults`, { method: "POST", body: '{"kind":"error"}' });
    const request = { path: "/cursor/orders" };
    const settings = {
      baseUrl: `${url}/rest`,
      auth: { kind: "bearer" },
      tasks: [
        { name: "orders.import", mode: "pull", request, recordsPath: "data" },
        { name: "orders.export", mode: "push", request: { path: "/keyed" }, idempotencyHeader: "Idempotency-Key" },
      ],
    };
    const call = callFor({ settings, credentials: { token } });
    const [page] = await pullAll(taskOf(rest, "pull", "orders.import", settings), call);
    expect(page!.records.length).toBe(7);
    await taskOf(rest, "push", "orders.export", settings).send(call, { number: "A-1" }, "key-1");
    expect(JSON.parse(await readFile(journal, "utf8"))).toMatchObject({ seq: 1, kind: "order.create", key: "key-1" });
  } finally {
    child.kill();
    await rm(folder, { recursive: true });
  }
});
