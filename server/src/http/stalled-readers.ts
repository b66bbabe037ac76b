import type { Server, Socket } from "node:net";

type Options = {
  everyMs: number;
  /** A client that reads nothing for this long is disconnected. */
  patienceMs: number;
};

/** What `net.Socket` looks at for its own time-outs, too. It has no public name. */
type WithQueue = { _handle?: { writeQueueSize?: number } | null };

/**
 * An unread response stays in memory, and an export keeps waiting for it. Reading slowly is allowed: only clients that read
 * nothing at all are disconnected.
 */
export function cutStalledReaders(server: Server, { everyMs, patienceMs }: Options): { stop(): void } {
  // Counted in looks, not by the clock: while the whole process pauses (a suspended machine), nobody can read.
  const mostLooks = patienceMs / everyMs;
  const sockets = new Map<Socket, { left: number; looks: number }>();
  server.on("connection", (socket: Socket) => {
    sockets.set(socket, { left: 0, looks: 0 });
    socket.once("close", () => sockets.delete(socket));
  });
  const timer = setInterval(() => {
    for (const [socket, seen] of sockets) {
      const left = leftOf(socket);
      if (socket.writableLength === 0 || left !== seen.left) sockets.set(socket, { left, looks: 0 });
      else if (++seen.looks > mostLooks) socket.destroy();
    }
  }, everyMs).unref();
  return { stop: () => clearInterval(timer) };
}

/**
 * Changes with every byte that the system takes over. The queue is needed besides what the stream counts: a response of one piece,
 * as most are, is counted only when all of it is gone, and whoever needs longer than the patience for it would be disconnected.
 */
function leftOf(socket: Socket): number {
  const queued = (socket as WithQueue)._handle?.writeQueueSize ?? 0;
  return socket.writableLength + queued - socket.bytesWritten;
}
