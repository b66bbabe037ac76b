import { randomUUID } from "node:crypto";
import { vi } from "vitest";
import { labelWork } from "../../features/labels/labels.ts";
import { applyLabelResults } from "../../features/operations/operations.ts";
import { trackingWork } from "../../features/shipments/shipments.ts";
import { workOff } from "../../queue/work.ts";
import { afterFile } from "../after-file.ts";
import type { Answer } from "../test-client.ts";
import type { TestHub, TestOrg } from "../test-hub.ts";
import { startTestHub } from "../test-hub.ts";
import type { AccountRequest, StandInOptions, StandInWithAccount } from "./stand-in-accounts.ts";
import type { JournalEntry, StandIn } from "./stand-in-api.ts";

// Complete: some carriers require a phone number of the sender, and an email address for pickups.
export const dock = {
  name: "Dock 4",
  company: "Byron Mugs",
  address1: "1 Port Street",
  city: "Newark",
  provinceCode: "NJ",
  zip: "07114",
  countryCode: "US",
  phone: "9735550100",
  email: "dock@byron.example",
};

export const customer = {
  name: "Ada Reed",
  address1: "14 Elm Street",
  city: "Portland",
  provinceCode: "OR",
  zip: "97201",
  countryCode: "US",
  phone: "5035550123",
};

/** Faults of the connection: after each of them the label is bought once. */
export const connectionFaults = [
  "rate_limit",
  "rate_limit_without_header",
  "html",
  "error_before",
  "error_after",
  "cut_before",
  "cut_after",
  "hang_before",
  "hang_after",
  "garbled",
] as const;

type Body = Answer["body"];

/** A hub with an organization, a location and an account at the stand-in of a carrier. Hub and stand-in share a clock. */
export type HubWithCarrier<S extends StandIn> = {
  hub: TestHub;
  org: TestOrg;
  standIn: S;
  accountId: string;
  /** Connects another account at the stand-in. */
  connect(more?: Partial<Pick<AccountRequest, "settings" | "credentials">>): Promise<string>;
  /** POST /carrier-accounts/{id}/test */
  testAccount(id: string): Promise<Body>;
  /** Minutes after Monday, 2 March 2026, 15:00 UTC. */
  setClock(minutes: number): void;
  /** POST /shipments/labels with a parcel of 2.5 pounds. */
  buy(service: string, more?: object): Promise<Answer>;
  /** Buys a label and repeats the request as the hub would, until its outcome is known. */
  buyToTheEnd(service: string, more?: object): Promise<Body>;
  readLabel(id: string): Promise<Body>;
  /** Sends what is due, and reports it to the runs. */
  work(): Promise<void>;
  /** Polls the carrier for the parcels of all labels, an hour after `minutes`. */
  pollTracking(minutes: number): Promise<void>;
  order(more?: object): Promise<Body>;
  exceptionsOf(labelId: string): Promise<Body>;
  /** The file as a client downloads it. */
  fileOf(labelId: string, query?: string): Promise<{ status: number; type: string | null; bytes: Buffer }>;
  /** Labels that the carrier was paid for since the test began. */
  sales(): JournalEntry[];
  /** Bodies of the requests for an operation since the test began. */
  sent(operation: string): Body[];
  /** Before each test: clock, faults, `sales` and `sent` start anew. */
  reset(): void;
};

const monday = Date.parse("2026-03-02T15:00:00Z");

export async function hubWithCarrier<S extends StandIn>(
  start: (options: StandInOptions) => Promise<StandInWithAccount<S>>,
): Promise<HubWithCarrier<S>> {
  const hub = await startTestHub();
  const { clock } = hub.world;
  const { standIn, account } = await start({ now: () => clock.now() });
  afterFile(async () => {
    clock.set({ mode: "real" });
    await standIn.close();
  });
  const org = await hub.org();
  const locationId: string = (await org.post("/locations", { name: "Dock", address: dock })).body.id;

  let [minutes, firstRequest, firstEntry] = [0, 0, 0];
  const setClock = (to: number): void => {
    minutes = to;
    clock.set({ mode: "frozen", at: new Date(monday + to * 60_000).toISOString() });
  };
  const connect: HubWithCarrier<S>["connect"] = async ({ settings, credentials } = {}) => {
    const wanted = {
      ...account,
      name: `Account ${randomUUID()}`,
      settings: { ...account.settings, ...settings },
      credentials: { ...account.credentials, ...credentials },
    };
    const { status, text, body } = await org.post("/carrier-accounts", wanted);
    if (status !== 201) throw new Error(`the account was not created: ${text}`);
    return body.id;
  };
  setClock(0);
  const accountId = await connect();
  const readLabel = async (id: string) => (await org.get(`/shipments/labels/${id}`)).body;
  const work = async (): Promise<void> => {
    await workOff(hub.world, labelWork);
    await applyLabelResults(hub.world, new AbortController().signal);
  };
  const buy: HubWithCarrier<S>["buy"] = async (service, more = {}) =>
    await org.post("/shipments/labels", {
      carrierAccountId: accountId,
      service,
      from: dock,
      to: customer,
      ...("parcels" in more ? {} : { weight: { value: 2.5, unit: "lb" } }),
      reference: `R-${randomUUID().slice(0, 8)}`,
      ...more,
    });

  return {
    hub,
    org,
    standIn,
    accountId,
    connect,
    testAccount: async (id) => (await org.post(`/carrier-accounts/${id}/test`)).body,
    setClock,
    buy,
    async buyToTheEnd(service, more) {
      const { status, text, body } = await buy(service, more);
      const id: string | undefined = body?.label?.id ?? body?.labelId;
      if (id === undefined) throw new Error(`no label was requested: ${status} ${text}`);
      // The last attempt is about three hours after the first.
      for (let label = await readLabel(id); ; label = await readLabel(id)) {
        if (label.status !== "requested") return label;
        if (minutes > 400) throw new Error(`the label is still requested: ${JSON.stringify(label)}`);
        setClock(minutes + 11);
        await work();
      }
    },
    readLabel,
    work,
    async pollTracking(at) {
      setClock(at + 60);
      await workOff(hub.world, trackingWork);
    },
    async order(more = {}) {
      const { status, text, body } = await org.post("/orders", {
        status: "ready",
        shippingAddress: customer,
        lines: [{ sku: "MUG-01", quantity: 2, weight: { value: 300, unit: "g" } }],
        locationId,
        ...more,
      });
      if (status !== 201) throw new Error(`the order was not created: ${text}`);
      return body;
    },
    async exceptionsOf(labelId) {
      const { data } = (await org.get("/exceptions?kind=label&limit=100")).body;
      return data.filter(({ subject }: { subject: { id: string } }) => subject.id === labelId);
    },
    async fileOf(labelId, query = "") {
      const response = await fetch(`${hub.url}/api/v1/shipments/labels/${labelId}/content${query}`, {
        headers: { authorization: `Bearer ${org.token}` },
      });
      const bytes = Buffer.from(await response.arrayBuffer());
      return { status: response.status, type: response.headers.get("content-type"), bytes };
    },
    sales: () =>
      standIn
        .journal()
        .slice(firstEntry)
        .filter(({ kind }) => kind === "buy"),
    sent: (operation) =>
      standIn.requests
        .slice(firstRequest)
        .filter((one) => one.operation === operation)
        .map(({ body }) => (body === "" ? undefined : JSON.parse(body))),
    reset() {
      setClock(0);
      standIn.calm();
      [firstRequest, firstEntry] = [standIn.requests.length, standIn.journal().length];
    },
  };
}

/** Carriers get this long instead of up to a minute, so that a test need not wait for an answer that never comes. */
const shortTimeoutMs = 1_500;

export async function withShortTimeouts<T>(work: () => Promise<T>): Promise<T> {
  const original = AbortSignal.timeout.bind(AbortSignal);
  const spy = vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => original(Math.min(ms, shortTimeoutMs)));
  try {
    return await work();
  } finally {
    spy.mockRestore();
  }
}
