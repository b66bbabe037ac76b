import type { AddressInfo, Socket } from "node:net";
import { connect, createServer } from "node:net";

export type CommitCutter = {
  port: number;
  /** Cuts the connection when the responses to the next `count` COMMITs arrive. */
  cutNext(count: number): void;
  /** Number of cut responses so far. */
  cuts(): number;
  close(): Promise<void>;
};

const commit = Buffer.from("commit\0");

/** Proxy between hubs and PostgreSQL. A cut COMMIT has succeeded without the hub knowing. */
export async function startCommitCutter(target: { host: string; port: number }): Promise<CommitCutter> {
  const sockets = new Set<Socket>();
  let left = 0;
  let cuts = 0;

  const server = createServer((client) => {
    const upstream = connect(`${target.host}/.s.PGSQL.${target.port}`);
    let isDoomed = false;
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on("error", () => {});
      socket.once("close", () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    client.on("data", (chunk: Buffer) => {
      if (left > 0 && !isDoomed && chunk.includes(commit)) {
        isDoomed = true;
        left--;
      }
      upstream.write(chunk);
    });
    upstream.on("data", (chunk) => {
      if (isDoomed) {
        cuts++;
        client.destroy();
      } else client.write(chunk);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cutNext: (count) => (left = count),
    cuts: () => cuts,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
