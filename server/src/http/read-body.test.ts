import { hash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { buffer, json } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { afterFile } from "../testing/after-file.ts";
import { startTestHub } from "../testing/test-hub.ts";
import { xlsxType } from "../route.ts";
import { readPieces } from "./read-body.ts";

const digestOf = (bytes: Buffer): string => hash("sha256", bytes);

type Arrived = { length: string | undefined; digest: string };
const arrived: Arrived[] = [];

const folder = await mkdtemp(path.join(tmpdir(), "hub-bodies-"));
const socketPath = path.join(folder, "socket");

/** Says what has arrived where heavy requests are done. */
async function tell(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const length = request.headers["content-length"];
  arrived.push({ length, digest: digestOf(await buffer(request)) });
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(arrived.at(-1)));
}
const standIn = createServer((request, response) => void tell(request, response));
await new Promise<void>((resolve) => void standIn.listen(socketPath, resolve));
const workerProcess = {
  socketPath,
  token: "t",
  hasEnded: () => false,
  wasKilled: () => false,
  unfinished: () => Promise.resolve(0),
  isFull: () => false,
  kill() {},
  stop: () => Promise.resolve(),
};
const hub = await startTestHub({ workerProcess });
const org = await hub.org();
afterFile(async () => {
  standIn.close();
  await rm(folder, { recursive: true });
});

type Given = { headers?: Record<string, string>; parts: Buffer[] };

async function post(url: string, { headers = {}, parts }: Given): Promise<{ status: number; body: Arrived }> {
  const call = httpRequest(`${hub.url}/api/v1${url}`, {
    method: "POST",
    headers: { authorization: `Bearer ${org.token}`, "content-type": "application/json", ...headers },
  });
  for (const part of parts) call.write(part);
  call.end();
  const [answer] = (await once(call, "response")) as [IncomingMessage];
  return { status: answer.statusCode!, body: (await json(answer)) as Arrived };
}

test("a large body is offloaded complete and unchanged, for any chunks", async () => {
  const body = randomBytes(9 * 1024 ** 2 + 7);
  const wanted = { status: 200, body: { length: String(body.length), digest: digestOf(body) } };
  expect(await post("/orders/bulk", { headers: { "content-length": String(body.length) }, parts: [body] })).toEqual(
    wanted,
  );
  const parts = [body.subarray(0, 1), body.subarray(1, 5_000_000), body.subarray(5_000_000)];
  expect(await post("/orders/bulk", { parts })).toEqual(wanted);
  const headers = { "content-encoding": "gzip" };
  expect(await post("/orders/bulk", { headers, parts: [gzipSync(body, { level: 1 })] })).toEqual(wanted);
});

test("a compressed file is offloaded, also a small one, for any chunks", async () => {
  const body = Buffer.from("PK\u0003\u0004 and no more");
  const parts = Array.from(body, (_, i) => body.subarray(i, i + 1));
  const wanted = { status: 200, body: { length: String(body.length), digest: digestOf(body) } };
  expect(await post("/orders/import", { headers: { "content-type": xlsxType }, parts })).toEqual(wanted);
});

test("a request without a body is offloaded too", async () => {
  const wanted = { status: 200, body: { length: "0", digest: digestOf(Buffer.alloc(0)) } };
  expect(await post("/transformations/test", { headers: { "content-length": "0" }, parts: [] })).toEqual(wanted);
});

test("a body above the limit of a route is rejected, with or without Content-Length", async () => {
  const before = arrived.length;
  const part = Buffer.alloc(1024 ** 2, 0x20);
  const parts = Array.from({ length: 65 }, () => part);
  const known: Record<string, string> = { "content-length": String(65 * 1024 ** 2) };
  for (const headers of [known, {}]) {
    expect(await post("/orders/bulk", { headers, parts })).toMatchObject({
      status: 413,
      body: { code: "body_too_large" },
    });
  }
  expect(arrived).toHaveLength(before);
});

/** Of a route that takes any number of bytes. */
const request = { routeOptions: { bodyLimit: Infinity }, headers: {} };

test("large chunks are kept, and chunks of one byte take little memory", async () => {
  const large = Array.from({ length: 20 }, () => randomBytes(64 * 1024));
  const kept = await readPieces(request, Readable.from(large));
  expect(kept.every((piece, i) => piece === large[i])).toBe(true);
  expect(kept).toHaveLength(large.length);
  const body = randomBytes(20_000);
  const pieces = await readPieces(request, Readable.from(Array.from(body, (byte) => Buffer.from([byte]))));
  expect(pieces.length).toBeLessThan(100);
  expect(Buffer.concat(pieces).equals(body)).toBe(true);
});

test("a disconnected client is not mistaken for a database failure", async () => {
  const lost = Object.assign(new Error("aborted"), { code: "ECONNRESET" });
  const payload = new Readable({ read: () => payload.destroy(lost) });
  await expect(readPieces(request, payload)).rejects.toMatchObject({ code: "request_timeout" });
});
