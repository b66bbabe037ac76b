import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo, Server as NetServer } from "node:net";
import { createServer } from "node:net";

/**
 * Node accepts one connection in each turn of the event loop. Under load a turn takes milliseconds: whoever opens connections
 * fast enough would keep everybody else out, health checks included. So several sockets listen on the same port, and as
 * many connections come in with each turn. Where ports can be shared, which is on Linux.
 */
export type Doors = { close(): Promise<void> };

export const canShare = process.platform === "linux";
const furtherDoors = 15;

/** A port that can be shared would be shared with another hub, too, which nobody wants. */
export async function refuseTaken(host: string, port: number): Promise<void> {
  const probe = createServer().listen({ host, port });
  await once(probe, "listening");
  probe.close();
  await once(probe, "close");
}

/** What to do about a port or an address that cannot be had. */
export function explainListening(
  error: unknown,
  { host, port, setting }: { host: string; port: number; setting: string },
): unknown {
  const advice: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is taken. Set ${setting} to another one.`,
    EACCES: `Port ${port} on ${host} needs more rights than this user has. Set ${setting} to another one.`,
    EADDRNOTAVAIL: `${host} is not an address of this machine. Set HUB_HOST to one that is.`,
    ENOTFOUND: `${host} is not an address of this machine. Set HUB_HOST to one that is.`,
  };
  const message = advice[(error as NodeJS.ErrnoException).code ?? ""];
  return message === undefined ? error : new Error(message, { cause: error });
}

/** Of a server that listens on a port that can be shared. */
export async function openDoors(server: Server, host: string): Promise<Doors> {
  const doors: NetServer[] = [];
  if (canShare) {
    const { port } = server.address() as AddressInfo;
    for (let i = 0; i < furtherDoors; i++) {
      // The way the server itself takes them.
      const door = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => server.emit("connection", socket));
      doors.push(door);
      door.listen({ host, port, reusePort: true });
    }
    await Promise.all(doors.map((door) => once(door, "listening")));
  }
  return {
    async close() {
      const closed = doors.map((door) => once(door, "close"));
      for (const door of doors) door.close();
      await Promise.all(closed);
    },
  };
}
