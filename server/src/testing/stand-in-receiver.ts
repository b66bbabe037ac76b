import { createServer } from "node:http";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { EventEnvelope } from "../events/event-envelope.ts";
import { afterFile } from "./after-file.ts";

type Received = {
  path: string;
  headers: Record<string, string>;
  body: string;
  event: EventEnvelope;
  /** Port of the client, which identifies the connection. */
  port: number;
};

/** Response to the next request; default 204. */
type Reply = { status: number; headers?: Record<string, string>; body?: string } | "hang" | "reset";

export type Receiver = {
  url: string;
  received: Received[];
  /** Used once each, in this order, before `always`. */
  replies: Reply[];
  always: Reply;
  /** Responds to pending requests, with 204 by default; optionally only to the first ones. */
  release(status?: number, count?: number): void;
  mostAtOnce(): number;
  close(): Promise<void>;
};

/** A webhook endpoint on loopback, closed after the test file. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const hanging = new Set<ServerResponse>();
  let [open, most] = [0, 0];
  const server = createServer((request, response) => {
    most = Math.max(most, ++open);
    response.on("close", () => open--);
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (chunk: string) => (body += chunk));
    request.on("end", () => {
      const { url: path, headers, socket } = request;
      received.push({ path: path!, headers: flat(headers), body, event: parse(body), port: socket.remotePort! });
      const reply = receiver.replies.shift() ?? receiver.always;
      if (reply === "reset") request.socket.resetAndDestroy();
      else if (reply === "hang") hanging.add(response);
      else response.writeHead(reply.status, reply.headers).end(reply.body);
    });
  });
  const receiver: Receiver = {
    url: "",
    received,
    replies: [],
    always: { status: 204 },
    release(status = 204, count = hanging.size) {
      for (const response of [...hanging].slice(0, count)) {
        response.writeHead(status).end();
        hanging.delete(response);
      }
    },
    mostAtOnce: () => most,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  afterFile(() => receiver.close());
  return receiver;
}

function flat(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

function parse(body: string): EventEnvelope {
  return JSON.parse(body) as EventEnvelope;
}
