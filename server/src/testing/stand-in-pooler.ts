import type { AddressInfo, Socket } from "node:net";
import { connect, createServer } from "node:net";
import path from "node:path";
import { inject } from "vitest";
import { afterFile } from "./after-file.ts";

/**
 * A proxy between a hub and the PostgreSQL of the tests. `transactions`: forwards notifications only during a query, like a pooler
 * in transaction mode. `none`: drops all notifications. `nothing`: accepts data and never responds.
 */
type Passes = "everything" | "transactions" | "none" | "nothing";

type Pooler = {
  port: number;
  passes: Passes;
};

const notification = "A".charCodeAt(0);
const readyForQuery = "Z".charCodeAt(0);

/** `database`: used for all connections, whatever they request. */
export async function startPooler(options: { passes?: Passes; database?: string } = {}): Promise<Pooler> {
  const { host, port } = inject("cluster");
  const sockets = new Set<Socket>();
  const pooler: Pooler = { port: 0, passes: options.passes ?? "everything" };
  const server = createServer((client) => {
    const upstream = connect(path.join(host, `.s.PGSQL.${port}`));
    let isBusy = true;
    let isStarted = false;
    client.on("data", (chunk: Buffer) => {
      isBusy = true;
      upstream.write(isStarted || options.database === undefined ? chunk : leadTo(chunk, options.database));
      isStarted = true;
    });
    onMessages(upstream, (message) => {
      if (pooler.passes === "nothing") return;
      const isLost = pooler.passes === "none" || (pooler.passes === "transactions" && !isBusy);
      if (message[0] === notification && isLost) return;
      client.write(message);
      if (message[0] === readyForQuery) isBusy = false;
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on("error", () => {});
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  pooler.port = (server.address() as AddressInfo).port;
  afterFile(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return pooler;
}

/** Complete server messages: a type byte and a length that includes itself but not the type. */
function onMessages(socket: Socket, take: (message: Buffer) => void): void {
  let rest: Buffer = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 5 && rest.length >= rest.readInt32BE(1) + 1) {
      const length = rest.readInt32BE(1) + 1;
      take(rest.subarray(0, length));
      rest = rest.subarray(length);
    }
  });
}

/** The startup message names the database: length, version and pairs of strings. */
function leadTo(first: Buffer, database: string): Buffer {
  const words = first.subarray(8).toString().split("\0");
  const at = words.indexOf("database");
  words[at + 1] = database;
  const body = Buffer.from(words.join("\0"));
  const head = Buffer.from(first.subarray(0, 8));
  head.writeInt32BE(8 + body.length, 0);
  return Buffer.concat([head, body]);
}
