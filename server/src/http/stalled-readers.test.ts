import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { connect, createServer } from "node:net";
import { afterAll, expect, test } from "vitest";
import { eventually } from "../testing/eventually.ts";
import { cutStalledReaders } from "./stalled-readers.ts";

// Far more than all buffers on the way hold.
const size = 24 * 1024 * 1024;
const accepted: Socket[] = [];
const server = createServer((socket) => {
  accepted.push(socket.on("error", () => {}));
  socket.write(Buffer.alloc(size));
});
const patienceMs = 1_500;
const watch = cutStalledReaders(server, { everyMs: 20, patienceMs });
server.listen(0, "127.0.0.1");
await once(server, "listening");
afterAll(() => {
  watch.stop();
  server.close();
});

async function open(read?: (client: Socket) => void): Promise<{ client: Socket; side: Socket }> {
  const before = accepted.length;
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => {});
  read?.(client);
  await eventually(
    async () => accepted.length,
    (count) => count > before,
  );
  return { client, side: accepted[before]! };
}

test("a client that reads nothing is disconnected; a slow one gets everything (security 6)", async () => {
  const stalled = await open();
  let read = 0;
  const slow = await open((client) => {
    client.on("data", (chunk: Buffer) => {
      read += chunk.length;
      client.pause();
      // Some 400 pieces: much longer than the patience, and always reading.
      setTimeout(() => client.resume(), 10);
    });
  });
  await eventually(
    async () => stalled.side.destroyed,
    (isGone) => isGone,
  );
  expect(slow.side.destroyed).toBe(false);
  // The whole process pauses for longer than the patience, as on a suspended machine.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, patienceMs + 500);
  await eventually(
    async () => read,
    (bytes) => bytes === size,
  );
  slow.client.destroy();
  stalled.client.destroy();
});

test("an idle connection without a pending response stays open", async () => {
  const { client, side } = await open((one) => one.resume());
  await eventually(
    async () => side.writableLength,
    (left) => left === 0,
  );
  const later = await open();
  // By the time a reader that stalls from now on is gone, the idle one would have been as well.
  await eventually(
    async () => later.side.destroyed,
    (isGone) => isGone,
  );
  expect(side.destroyed).toBe(false);
  client.destroy();
});
