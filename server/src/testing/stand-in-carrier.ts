import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Carrier, CarrierCall, CarrierData } from "../carriers/seam/carrier.ts";
import { carriers } from "../carriers/installed-carriers.ts";
import { defaultPickupRules } from "../carriers/seam/pickup-rules.ts";
import { ask, askJson } from "../core/outbound/ask-remote.ts";
import { Strict } from "../core/schema.ts";
import { Type } from "../core/type.ts";
import { afterFile } from "./after-file.ts";
import type { TestHub, TestOrg } from "./test-hub.ts";

/** `cut_after` and `garbled` happen after the effect, the others instead of it. */
type FaultKind = "hang" | "rate_limit" | "error" | "refuse" | "cut_after" | "garbled";
type Fault = { kind: FaultKind; times: number; retryAfterSeconds: number };

export type StandInCarrier = {
  url: string;
  /** Effects by key: one entry is one driver or one payment. */
  booked: Map<string, { number: string; token: string }>;
  sold: Map<string, { number: string; token: string }>;
  /** Cancelled pickups and voided labels; only with the token. */
  undone: string[];
  requests: string[];
  inject(kind: FaultKind, more?: { times?: number; retryAfterSeconds?: number }): void;
  calm(): void;
  /** Creates a carrier account of this organization. */
  account(hub: TestHub, org: TestOrg): Promise<string>;
};

/** A carrier on loopback that records effects, honors keys and fails as carriers do, until the end of the test file. */
export async function startStandInCarrier(): Promise<StandInCarrier> {
  const [booked, sold] = [new Map<string, { number: string; token: string }>(), new Map()];
  const undone: string[] = [];
  const requests: string[] = [];
  const faults: Fault[] = [];

  function answer(method: string, path: string, headers: IncomingMessage["headers"], body: Record<string, unknown>) {
    const key = String(headers["idempotency-key"]);
    const [, kind, number, verb] = path.split("/");
    const books = kind === "pickups" ? booked : sold;
    if (method === "POST" && number === undefined && kind !== "track") {
      const known = books.get(key) ?? {
        number: `${kind === "pickups" ? "P" : "L"}${randomUUID()}`,
        token: randomUUID(),
      };
      books.set(key, known);
      return { status: 201, body: known };
    }
    if (kind === "track") return { status: 200, body: { seen: body.tokens } };
    const entry = [...books.values()].find((one) => one.number === number);
    if (entry?.token !== headers["x-token"]) return { status: 403, body: { message: "This is not yours." } };
    if (verb === "undo") undone.push(entry!.number);
    return { status: 200, body: { status: "scheduled" } };
  }

  const server = createServer((incoming, response) => {
    void readBody(incoming).then((body) => {
      const { method = "GET", url = "/" } = incoming;
      requests.push(`${method} ${url}`);
      const fault = faults[0];
      if (fault && --fault.times <= 0) faults.shift();
      if (fault?.kind === "hang") return;
      if (fault?.kind === "rate_limit") {
        return write(response, 429, { message: "Not so fast." }, { "retry-after": String(fault.retryAfterSeconds) });
      }
      if (fault?.kind === "error") return write(response, 500, { message: "Something broke." });
      if (fault?.kind === "refuse") return write(response, 422, { message: "We do not go to 1 Port Street." });
      const reply = answer(method, url, incoming.headers, body);
      if (fault?.kind === "cut_after") return void incoming.socket.destroy();
      if (fault?.kind === "garbled") return void response.writeHead(200).end('{"number": "P');
      write(response, reply.status, reply.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const installed = carriers as Carrier[];
  installed.push(standInCarrier);
  afterFile(async () => {
    installed.splice(installed.indexOf(standInCarrier), 1);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url,
    booked,
    sold,
    undone,
    requests,
    inject: (kind, { times = 1, retryAfterSeconds = 1 } = {}) => void faults.push({ kind, times, retryAfterSeconds }),
    calm: () => void faults.splice(0),
    async account(hub, org) {
      const { body } = await org.post("/carrier-accounts", { name: `Account ${randomUUID()}`, carrier: "demo" });
      // The API accepts only carriers that come with the hub.
      await hub.world.db.query("update carrier_accounts set carrier = $2, settings = $3 where id = $1", [
        body.id,
        standInCarrier.name,
        { baseUrl: url },
      ]);
      return body.id;
    },
  };
}

async function readBody(incoming: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming as AsyncIterable<Buffer>) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  return text === "" ? {} : (JSON.parse(text) as Record<string, unknown>);
}

function write(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

const urlOf = ({ settings }: CarrierCall, path: string): string => `${String(settings.baseUrl)}${path}`;

async function create(call: CarrierCall, kind: "pickups" | "labels"): Promise<{ number: string; token: string }> {
  const headers = { "idempotency-key": call.effectKey };
  const body = { json: {} };
  return (await askJson(call, { method: "POST", url: urlOf(call, `/${kind}`), headers, body })) as {
    number: string;
    token: string;
  };
}

async function undo(call: CarrierCall, path: string, data: CarrierData | null): Promise<void> {
  const headers = { "x-token": String(data?.token) };
  await ask(call, { method: "POST", url: urlOf(call, `${path}/undo`), headers, retry: "safe" });
}

/** Implemented as a carrier of the hub would be. */
export const standInCarrier: Carrier = {
  name: "stand-in",
  title: "Stand-in",
  description: "A carrier on loopback.",
  settings: Strict({ baseUrl: Type.String() }),
  credentials: Strict({ token: Type.Optional(Type.String()), user: Type.Optional(Type.String()) }),
  sendsTo: ({ baseUrl }) => [String(baseUrl)],
  pickupRules: defaultPickupRules,
  isLocal: false,
  usesRateCards: () => false,
  timeouts: {},
  labelTypes: ["text/plain"],
  async schedulePickup(call) {
    const { number, token } = await create(call, "pickups");
    return { confirmationNumber: number, messages: [], carrierData: { token } };
  },
  cancelPickup: (call, { confirmationNumber, carrierData }) =>
    undo(call, `/pickups/${confirmationNumber}`, carrierData),
  async createLabel(call, { service }) {
    const { number, token } = await create(call, "labels");
    const file = { contentType: "text/plain" as const, content: Buffer.from(number) };
    return {
      service,
      charge: { cents: 500, currency: "USD" },
      parcels: [{ trackingNumber: number, file }],
      carrierData: { token },
    };
  },
  async voidLabel(call, { trackingNumber, carrierData }) {
    await undo(call, `/labels/${trackingNumber}`, carrierData);
    return { state: "voided" };
  },
  async track(call, parcels) {
    const body = { json: { tokens: parcels.map(({ carrierData }) => carrierData?.token ?? null) } };
    const { seen } = (await askJson(call, { method: "POST", url: urlOf(call, "/track"), body, retry: "safe" })) as {
      seen: (string | null)[];
    };
    return parcels.flatMap(({ trackingNumber }, index) =>
      seen[index] === null
        ? []
        : [
            {
              trackingNumber,
              status: "in_transit" as const,
              events: [{ at: call.now().toISOString(), status: "in_transit" as const, description: "Seen" }],
            },
          ],
    );
  },
};
