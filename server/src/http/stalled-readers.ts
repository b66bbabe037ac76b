import type { Server, Socket } from "node:net";

type Options = {
  everyMs: number;
  /** A client that reads nothing for this long is disconnected. */
  patienceMs: number;
};

/** Private to Node, whose own time-outs of sockets use it. There is no public one. */
type WithQueue = { _handle?: { writeQueueSize?: number } | null };

/**
 * An unread response stays in memory, and an export keeps waiting for it. Reading slowly is allowed: only clients that read
 * nothing at all are disconnected.
 */
export function cutStalledReaders(server: Server, { everyMs, patienceMs }: Options): { stop(): void } {
  // Checks are counted instead of seconds: while the machine of the hub is suspended, no client can read.
  const maxChecks = patienceMs / everyMs;
  const sockets = new Map<Socket, { left: number; checks: number }>();
  server.on("connection", (socket: Socket) => {
    sockets.set(socket, { left: 0, checks: 0 });
    socket.once("close", () => sockets.delete(socket));
  });
  const timer = setInterval(() => {
    for (const [socket, seen] of sockets) {
      const left = leftOf(socket);
      if (socket.writableLength === 0 || left !== seen.left) sockets.set(socket, { left, checks: 0 });
      else if (++seen.checks > maxChecks) socket.destroy();
    }
  }, everyMs).unref();
  return { stop: () => clearInterval(timer) };
}

/**
 * Changes whenever the client reads. The stream counts a piece only when all of it is sent, and most responses are one piece: without
 * the queue, a client that needs longer than `patienceMs` for one would be disconnected.
 */
function leftOf(socket: Socket): number {
  const queued = (socket as WithQueue)._handle?.writeQueueSize ?? 0;
  return socket.writableLength + queued - socket.bytesWritten;
}
