import { closeSync, constants, openSync, readFileSync, writeSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createRandom } from "./chaos-plan.ts";

/** A change at the shop, synced to disk before the response. */
export type ShopEffect = { kind: ShopKind; number: string; key: string; at: number };
export type ShopKind = "keyed" | "findable" | "blind" | "call";

export type TaskShop = {
  url: string;
  journalFile: string;
  /** Requests that hang, and when their sender disconnected. */
  hanging: Set<string>;
  abandonedAt: Map<string, number>;
  close(): Promise<void>;
};

type Options = { journalFile: string; seed: number; listed?: number; faults?: boolean; pageDelayMs?: number };

/**
 * A shop on loopback whose journal is the reference. `keyed` honors idempotency keys, `findable` supports lookups, `blind`
 * repeats every request. Some requests are rejected, some are slow, some lose their response.
 */
export async function startTaskShop(options: Options): Promise<TaskShop> {
  const { O_APPEND, O_CREAT, O_WRONLY, O_SYNC } = constants;
  const journal = openSync(options.journalFile, O_APPEND | O_CREAT | O_WRONLY | O_SYNC);
  const random = createRandom(options.seed);
  const seen = new Set<string>();
  const known = new Map<string, string[]>();
  const hanging = new Set<string>();
  const abandonedAt = new Map<string, number>();

  function apply(effect: ShopEffect): void {
    writeSync(journal, `${JSON.stringify(effect)}\n`);
    const place = `${effect.kind} ${effect.number}`;
    known.set(place, [...(known.get(place) ?? []), effect.number]);
  }

  async function receive(kind: ShopKind, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const at = Date.now();
    const { number = "" } = JSON.parse(await readBody(request)) as { number?: string };
    const key = String(request.headers["idempotency-key"] ?? "");
    const dice = options.faults ? random.next() : 1;
    // A shop that honors keys does not reject what it has already done.
    if (dice < 0.04 && !(kind === "keyed" && seen.has(key))) return answer(response, 422, { error: "no" });
    if (dice < 0.1) await new Promise((resolve) => setTimeout(resolve, 300));
    if (kind !== "keyed" || !seen.has(key)) apply({ kind, number, key, at });
    seen.add(key);
    if (dice > 0.1 && dice < 0.16) return void request.socket.destroy();
    answer(response, 201, { id: `${kind}-${number}` });
  }

  const server = createServer((request, response) => {
    const url = new URL(request.url ?? "/", "http://shop");
    const [, kind = "", what = ""] = url.pathname.split("/");
    if (kind === "list") {
      setTimeout(() => answer(response, 200, page(url, options.listed ?? 0)), options.pageDelayMs ?? 0);
    } else if (what === "hang") {
      const token = url.searchParams.get("token") ?? "";
      hanging.add(token);
      response.once("close", () => abandonedAt.set(token, performance.now()));
      request.resume();
    } else if (request.method === "POST") {
      void receive(kind as ShopKind, request, response).catch(() => request.socket.destroy());
    } else {
      const found = known.get(`${kind} ${url.searchParams.get("reference")}`) ?? [];
      answer(response, 200, { data: found.map((number) => ({ id: `${kind}-${number}` })) });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    journalFile: options.journalFile,
    hanging,
    abandonedAt,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      closeSync(journal);
    },
  };
}

export function readShopJournal(file: string): ShopEffect[] {
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line) as ShopEffect);
}

export const listedNumber = (n: number): string => `S-${n}`;

/** Pages by cursor, oldest first, deterministic. */
function page(url: URL, listed: number): unknown {
  const size = Number(url.searchParams.get("limit") ?? 50);
  const from = Number(url.searchParams.get("after") ?? 0);
  const to = Math.min(from + size, listed);
  const data = Array.from({ length: to - from }, (_, i) => ({
    id: from + i + 1,
    reference: listedNumber(from + i + 1),
    updated_at: new Date(Date.UTC(2026, 0, 1) + (from + i) * 60_000).toISOString(),
    buyer: { name: `Buyer ${from + i + 1}` },
  }));
  return { data, meta: { total: listed, next: to < listed ? String(to) : null } };
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}
