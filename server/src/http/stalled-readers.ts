import type { Server, Socket } from "node:net";

type Options = {
  everyMs: number;
  /** A client that reads nothing for this long is disconnected. */
  patienceMs: number;
};

/**
 * An unread response stays in memory, and an export keeps waiting for it. Reading slowly is allowed: only clients that read
 * nothing at all are disconnected.
 */
export function cutStalledReaders(server: Server, { everyMs, patienceMs }: Options): { stop(): void } {
  const sockets = new Map<Socket, { taken: number; at: number }>();
  server.on("connection", (socket: Socket) => {
    sockets.set(socket, { taken: 0, at: performance.now() });
    socket.once("close", () => sockets.delete(socket));
  });
  const timer = setInterval(() => {
    const now = performance.now();
    for (const [socket, seen] of sockets) {
      // bytesWritten includes what is still buffered here.
      const taken = socket.bytesWritten - socket.writableLength;
      if (socket.writableLength === 0 || taken !== seen.taken) sockets.set(socket, { taken, at: now });
      else if (now - seen.at > patienceMs) socket.destroy();
    }
  }, everyMs).unref();
  return { stop: () => clearInterval(timer) };
}
