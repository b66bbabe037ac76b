import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { createInterface } from "node:readline/promises";
import { expect, test } from "vitest";
import { afterFile } from "../after-file.ts";
import { carrierClient } from "./ask-stand-in.ts";
import { from, parcel, rateOf, to } from "./easypost/easypost-fixture.ts";
import type { AccountRequest } from "./stand-in-accounts.ts";
import type { Fault, JournalEntry } from "./stand-in-api.ts";

const script = path.join(import.meta.dirname, "run-stand-in.ts");

const folder = await mkdtemp(path.join(tmpdir(), "run-stand-in-"));
afterFile(() => rm(folder, { recursive: true }));

async function run(
  ...args: string[]
): Promise<{ child: ChildProcess; url: string; credentials: AccountRequest["credentials"] }> {
  const child = spawn(process.execPath, [script, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  afterFile(() => child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const [first, second] = [await lines.next(), await lines.next()];
  return {
    child,
    url: String(first.value),
    credentials: (JSON.parse(String(second.value)) as AccountRequest).credentials,
  };
}

const readJournal = async (file: string): Promise<JournalEntry[]> =>
  (await readFile(file, "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as JournalEntry);

test("a killed stand-in goes on with what it sold, on the same port", async () => {
  const journal = path.join(folder, "easypost.jsonl");
  const first = await run("easypost", "--journal", journal);
  const authorization = `Basic ${Buffer.from(`${String(first.credentials.apiKey)}:`).toString("base64")}`;
  const call = carrierClient(first.url, { authorization });
  const shipment = { to_address: to, from_address: from, parcel, reference: "order-1" };
  const drawn = (await call("POST", "/v2/shipments", { shipment })).body;
  const fault: Fault = { kind: "cut_after", operation: "buy", times: 1 };
  expect((await call("POST", "/stand-in/faults", fault)).status).toBe(204);
  const buy = () => call("POST", `/v2/shipments/${drawn.id}/buy`, { rate: { id: rateOf(drawn) } });
  await expect(buy()).rejects.toThrow("fetch failed");
  first.child.kill("SIGKILL");
  await once(first.child, "exit");

  const second = await run("easypost", "--journal", journal, "--port", new URL(first.url).port);
  expect(second.url).toBe(first.url);
  const { postage_label, tracking_code } = (await call("GET", "/v2/shipments/order-1")).body;
  expect((await (await fetch(postage_label.label_url)).bytes()).length).toBeGreaterThan(300);
  expect((await buy()).body.error.code).toBe("SHIPMENT.POSTAGE.EXISTS");
  const sold = (await readJournal(journal)).filter(({ kind }) => kind === "buy");
  expect(sold).toMatchObject([{ reference: "order-1", trackingNumber: tracking_code }]);
});

test.each(["shipengine", "karrio"])("%s runs as a process, and a fault that is not one is refused", async (carrier) => {
  const { url, credentials } = await run(carrier, "--journal", path.join(folder, `${carrier}.jsonl`));
  const headers = { "api-key": String(credentials.apiKey), authorization: `Token ${String(credentials.token)}` };
  const call = carrierClient(url, headers);
  const account = carrier === "karrio" ? "/v1/connections" : "/v1/carriers";
  expect((await call("GET", account)).status).toBe(200);
  await call("POST", "/stand-in/faults", { kind: "rate_limit" });
  expect((await call("GET", account)).status).toBe(429);
  expect((await call("GET", account)).status).toBe(200);
  const refusals = [{ operation: "buy" }, { kind: "html", operation: 1 }, { kind: "html", times: 0 }, "{", "1"];
  for (const body of refusals) expect((await call("POST", "/stand-in/faults", body)).status).toBe(400);
});

test("a carrier without a stand-in is refused with the list of those that have one", async () => {
  const child = spawn(process.execPath, [script, "pigeon", "--journal", "x"], { stdio: ["ignore", "ignore", "pipe"] });
  const [message, [code]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  expect([code, message]).toEqual([2, expect.stringContaining("easypost|shipengine|karrio|ups|fedex|usps")]);
});
