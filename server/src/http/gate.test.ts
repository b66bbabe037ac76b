import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { HubError } from "../core/errors.ts";
import { afterFile } from "../testing/after-file.ts";
import { putGateBefore } from "./gate.ts";
import { plainFormat } from "./mount.ts";

const refusal = new HubError("overloaded", "Too many.", { retryAfterSeconds: 1 });

/** A gate that lets nobody in but those who ask for something outside of the API; or strangers, after so long. */
async function startGate({ delayMs }: { delayMs?: number } = {}) {
  let looks = 0;
  let served = 0;
  let delayed = 0;
  const server = createServer((_request, response) => {
    served++;
    response.end("served");
  });
  const whyNot = (): HubError => {
    looks++;
    return refusal;
  };
  putGateBefore(server, {
    admission: {
      whyNot,
      whyNotStrangers: () => (delayMs === undefined ? whyNot() : undefined),
      delayOf(outsiders) {
        delayed++;
        return outsiders === "unproven" ? refusal : delayMs!;
      },
    },
    recognised: {
      orgOf: ({ authorization, cookie }) =>
        authorization === "unknown" ? undefined : (authorization ?? orgs.get(cookie!)),
      takesNotices: () => false,
    },
    environment: "live",
    mounts: [{ prefix: "/api", routes: [], format: plainFormat }],
    headers: {},
    metrics: { refused: () => {} },
    requestLog: { noteRefused: () => {} },
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  afterFile(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  const { port } = server.address() as AddressInfo;
  return { port, server, looks: () => looks, served: () => served, delayed: () => delayed };
}

const orgs = new Map([["s".repeat(43), "signed in"]]);

const requestOf = (who: string): string => `GET /api/me HTTP/1.1\r\nhost: hub\r\nauthorization: ${who}\r\n\r\n`;

test("from whoever is refused nothing more is read until they were told so", async () => {
  const gate = await startGate();
  const socket = connect(gate.port, "127.0.0.1");
  let answers = "";
  socket.on("data", (chunk: Buffer) => (answers += chunk.toString()));
  const ask = requestOf("somebody");
  socket.write(ask);
  await expect.poll(gate.looks).toBe(1);
  socket.write(ask);
  // It came later, on another connection.
  expect(await (await fetch(`http://127.0.0.1:${gate.port}/healthz`)).text()).toBe("served");
  expect([gate.looks(), answers]).toEqual([1, ""]);
  await expect.poll(() => answers.match(/HTTP\/1.1 503 /g)?.length, { timeout: 10_000 }).toBe(2);
  expect(answers.match(/retry-after: 1/gi)).toHaveLength(2);
  socket.destroy();
});

test("the more of theirs wait to be refused, the longer each of them waits; nobody else's do", async () => {
  const gate = await startGate();
  const told: string[] = [];
  const ask = (who: string): Socket => {
    const socket = connect(gate.port, "127.0.0.1");
    socket.once("data", () => told.push(who)).on("error", () => {});
    socket.write(requestOf(who));
    return socket;
  };
  const sockets = Array.from({ length: 100 }, () => ask("greedy"));
  await expect.poll(gate.looks).toBe(100);
  sockets.push(ask("other"));
  await expect.poll(() => told.includes("other"), { timeout: 10_000 }).toBe(true);
  // The other one came last and was told while most of theirs still waited.
  expect(told.length).toBeLessThan(80);
  for (const socket of sockets) socket.destroy();
});

test("a stranger who has to wait is served then, and nothing more is read from them meanwhile", async () => {
  const gate = await startGate({ delayMs: 300 });
  const url = `http://127.0.0.1:${gate.port}`;
  const order: string[] = [];
  const note = (name: string) => async (answer: Response) => void order.push(`${name} ${await answer.text()}`);
  const asked = ["/api/auth/token", "/docs/", "/openapi.json"].map((path) => fetch(url + path).then(note(path)));
  await fetch(`${url}/healthz`).then(note("/healthz"));
  expect(order).toEqual(["/healthz served"]);
  await Promise.all(asked);
  expect(order.slice(1).toSorted()).toEqual(["/api/auth/token served", "/docs/ served", "/openapi.json served"]);
  const { status, headers } = await fetch(`${url}/api/me`, { headers: { authorization: "unknown" } });
  expect([status, headers.get("retry-after")]).toEqual([503, "1"]);
});

test("nothing is done for a stranger whose connection was closed meanwhile", async () => {
  const gate = await startGate({ delayMs: 200 });
  const socket = connect(gate.port, "127.0.0.1");
  socket.on("error", () => {}).write("GET /api/me HTTP/1.1\r\nhost: hub\r\n\r\n");
  await expect.poll(gate.delayed).toBe(1);
  gate.server.closeAllConnections();
  // It asks later, and has waited as long.
  expect(await (await fetch(`http://127.0.0.1:${gate.port}/api/me`)).text()).toBe("served");
  expect(gate.served()).toBe(1);
});

test("whoever has signed in is known by the cookie, with a proxy or without one; any other cookie says nothing", async () => {
  const gate = await startGate({ delayMs: 1 });
  const ask = async (cookie: string): Promise<[number, number]> => {
    const before = gate.looks();
    const { status } = await fetch(`http://127.0.0.1:${gate.port}/api/me`, { headers: { cookie } });
    return [status, gate.looks() - before];
  };
  // Asked about as one of its organization, which has too many.
  expect(await ask(`a=b; ooh_live=${"s".repeat(43)}`)).toEqual([503, 1]);
  expect(await ask(`__Host-ooh_live=${"s".repeat(43)}`)).toEqual([503, 1]);
  // Refused as one whose word was not checked yet.
  expect(await ask(`ooh_live=${"t".repeat(43)}`)).toEqual([503, 0]);
  // Strangers, who are served a moment later.
  for (const cookie of [`ooh_preview=${"s".repeat(43)}`, "ooh_live=short", "theme=dark"]) {
    expect(await ask(cookie)).toEqual([200, 0]);
  }
});

test("the connections of whoever has many to be refused are closed, with all that has come on them", async () => {
  const gate = await startGate();
  const ended: number[] = [];
  const sockets = Array.from({ length: 40 }, (_, n) => {
    const socket = connect(gate.port, "127.0.0.1");
    socket.on("error", () => {}).resume();
    socket.once("close", () => ended.push(n));
    socket.write(requestOf("greedy"));
    return socket;
  });
  await expect.poll(gate.looks).toBe(40);
  for (const socket of sockets) socket.write(requestOf("greedy").repeat(5));
  // The first twenty are told, and asked about what they have sent besides; the others are not.
  await expect.poll(() => ended.length, { timeout: 10_000 }).toBe(20);
  await expect.poll(gate.looks, { timeout: 10_000 }).toBe(40 + 20 * 5);
  for (const socket of sockets) socket.destroy();
});
