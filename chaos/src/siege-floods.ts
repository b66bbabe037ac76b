import { newKeyValue } from "../../server/src/features/api-keys/key-value.ts";
import type { Socket } from "node:net";
import type { Place, Wanted } from "./siege-wire.ts";
import { dial, readAnswers, renderRequest } from "./siege-wire.ts";
import type { TallyKeeper } from "./siege-tally.ts";

/** Things that an organization besieges with: what it has is made before. */
export type Noisy = {
  token: string;
  orderIds: string[];
  bridgeId: string;
  transformationId: string;
  comparisonId: string;
  /** A csv bridge whose folder has costly files. */
  filesBridgeId?: string;
};

/** Requests in rotation, so many a second, whatever has become of those before. */
export type Flood = { name: string; perSecond: number; requests: Buffer[]; asStrangers: boolean };

const api = "/api/v1";
const orderIdsUsed = 50;

export function readsOf({ token, orderIds }: Noisy): Wanted[] {
  return orderIds.slice(0, orderIdsUsed).flatMap((id) => [
    { path: `${api}/orders?limit=10`, token },
    { path: `${api}/orders/${id}`, token },
  ]);
}

export function floodOf(noisy: Noisy, perSecond: number): Flood {
  const { token, orderIds } = noisy;
  const actions = [{ type: "add_tags", params: { tags: ["besieged"] } }];
  const writes = orderIds.slice(0, orderIdsUsed).flatMap((id): Wanted[] => [
    { path: `${api}/orders`, token, body: JSON.stringify({ lines: [{ sku: "MUG-01", quantity: 1 }] }) },
    { method: "PATCH", path: `${api}/orders/${id}`, token, body: JSON.stringify({ customFields: { a: "b" } }) },
    { path: `${api}/operations/preflight`, token, body: JSON.stringify({ order_ids: [id], actions }) },
  ]);
  const reads = readsOf(noisy);
  const mix = Array.from({ length: 200 }, (_, n) => (n % 5 === 4 ? writes : reads)[n % (n % 5 === 4 ? 150 : 100)]!);
  return { name: "organization's mix", perSecond, requests: mix.map(renderRequest), asStrangers: false };
}

export function strangersFlood(perSecond: number): Flood {
  const unknown: Wanted[] = Array.from({ length: 40 }, (_, n): Wanted => {
    const body = JSON.stringify({ email: `nobody${n}@example.com`, password: `not the password ${n}` });
    const kinds: Wanted[] = [
      { path: `${api}/auth/token`, body },
      { path: `${api}/orders`, token: newKeyValue("live") },
      { path: `${api}/orders`, token: "not.a.token" },
      { path: `${api}/orders`, body: `{"lines":[${"1,".repeat(500)}1]}` },
      { path: `${api}/auth/refresh`, body: JSON.stringify({ refreshToken: `r${n}` }) },
      { path: "/openapi.json" },
      { path: "/metrics" },
      { path: "/docs/" },
      { path: `/nothing/${n}`, body: "[1,2,3]" },
      { path: "/docs/js/scalar.js" },
    ];
    return kinds[n % kinds.length]!;
  });
  return { name: "strangers' mix", perSecond, requests: unknown.map(renderRequest), asStrangers: true };
}

const maxConnections = 200;
const tickMs = 5;

/** Sends a request when it is due. Until there are enough connections each has one that waits; from then on several. */
export function startFlood(place: Place, flood: Flood, keeper: TallyKeeper): { stop(): void } {
  const { name, perSecond, requests, asStrangers } = flood;
  const idle: Socket[] = [];
  const open = new Map<Socket, { waiting: number }>();
  const began = performance.now();
  let sent = 0;
  let dialled = 0;
  let isOver = false;

  function newConnection(): Socket {
    const socket = dial(place, asStrangers ? dialled++ : undefined);
    const state = { waiting: 0 };
    open.set(socket, state);
    const read = readAnswers((answer) => {
      keeper.answered(name, answer);
      if (--state.waiting === 0) idle.push(socket);
    });
    socket.on("data", read);
    socket.on("error", () => {});
    socket.once("close", () => {
      open.delete(socket);
      if (!isOver) for (let i = 0; i < state.waiting; i++) keeper.cut(name);
    });
    return socket;
  }

  function connection(): Socket {
    for (let socket = idle.pop(); socket; socket = idle.pop()) if (!socket.destroyed) return socket;
    if (open.size < maxConnections) return newConnection();
    // The longest unused one; it goes to the end of the line.
    const [socket, state] = open.entries().next().value!;
    open.delete(socket);
    open.set(socket, state);
    return socket;
  }

  const timer = setInterval(() => {
    const elapsed = performance.now() - began;
    const due = Math.floor((elapsed * perSecond) / 1000);
    if (due > sent) keeper.tally.lateMs.push(elapsed - ((sent + 1) * 1000) / perSecond);
    for (; sent < due; sent++) {
      const socket = connection();
      open.get(socket)!.waiting++;
      keeper.sent(name);
      socket.write(requests[sent % requests.length]!);
    }
  }, tickMs);

  return {
    stop() {
      isOver = true;
      clearInterval(timer);
      for (const socket of open.keys()) socket.destroy();
    },
  };
}

/** As many answers a second as there are when each connection asks again as soon as it was answered. */
export async function measureCapacity(place: Place, requests: Buffer[], seconds: number): Promise<number> {
  const connections = 32;
  const warmUpMs = 2_000;
  const began = performance.now();
  const endsAt = began + warmUpMs + seconds * 1000;
  let answered = 0;
  let next = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = dial(place);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const ask = (): void => void socket.write(requests[next++ % requests.length]!);
      socket.on("error", reject);
      socket.on(
        "data",
        readAnswers(({ status, head }) => {
          const now = performance.now();
          if (status !== 200) reject(new Error(`while the capacity was measured: ${head}`));
          if (now > began + warmUpMs && now < endsAt) answered++;
          if (now < endsAt) ask();
          else resolve();
        }),
      );
      ask();
      await promise.finally(() => socket.destroy());
    }),
  );
  return answered / seconds;
}
