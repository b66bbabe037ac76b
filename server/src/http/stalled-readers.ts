import type { Server, Socket } from "node:net";

type Options = {
  everyMs: number;
  /** Whoever takes nothing of an answer for this long is cut off. */
  patienceMs: number;
};

/**
 * An answer that nobody reads stays in memory, and what is being exported for it goes on waiting. Reading slowly is fine:
 * only who takes nothing at all is cut off.
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
      // What has been written includes what still waits here.
      const taken = socket.bytesWritten - socket.writableLength;
      if (socket.writableLength === 0 || taken !== seen.taken) sockets.set(socket, { taken, at: now });
      else if (now - seen.at > patienceMs) socket.destroy();
    }
  }, everyMs).unref();
  return { stop: () => clearInterval(timer) };
}
