import { expect } from "vitest";
import type { PulledRecord } from "../connectors/connector.ts";
import { pullTask, pushTask } from "../connectors/standard-tasks.ts";
import { RemoteError } from "../core/remote-error.ts";
import { Type } from "../core/type.ts";
import { eventually } from "./eventually.ts";
import { installConnector } from "./scripted-connector.ts";
import type { TestClient } from "./test-client.ts";
import type { TestHub, TestOrg } from "./test-hub.ts";

type Exception = Record<string, unknown> & {
  id: string;
  code: string;
  kind: string;
  subject: { name: string };
  openedAt: string;
  availableActions: { action: string; scope: string }[];
};

/** Helpers for tests of exceptions and their resolution. */
export function inboxOf(org: TestOrg) {
  const list = async (query = "", who: TestClient = org): Promise<Exception[]> =>
    (await who.get(`/exceptions?limit=100${query}`)).body.data;
  return {
    list,
    async one(query = ""): Promise<Exception> {
      const rows = await list(query);
      expect(rows).toHaveLength(1);
      return (await org.get(`/exceptions/${rows[0]!.id}`)).body;
    },
    fix: async (id: string, action: string, more: object = {}, who: TestClient = org) =>
      await who.post(`/exceptions/${id}/resolve`, { action, ...more }),
  };
}

let minute = 0;

/** Increasing update times. */
export function aRecord(externalId: string, more: object = {}): PulledRecord {
  const updatedAt = new Date(Date.UTC(2026, 1, 1, 0, ++minute)).toISOString();
  const address = { name: "Ada Xyzzy", address1: "12 Xyzzy Street", city: "Albany", zip: "12207", countryCode: "US" };
  const body = { number: externalId, shippingAddress: address, lines: [{ sku: "MUG", quantity: 2 }], ...more };
  return { externalId, updatedAt, raw: { ref: externalId, who: "Ada Xyzzy", ...more }, canonical: body };
}

export const aBrokenRecord = (externalId: string): PulledRecord => aRecord(externalId, { currency: "Xyzzy dollars" });

/** Scripted shops: tests define their pages and which orders they accept. */
export function exceptionFixture(hub: TestHub) {
  const floor = {
    /** Next pages of the shop. */
    pages: new Array<PulledRecord[]>(),
    refuses: new Set<string>(),
    sent: new Array<string>(),
    /** Runs before an order is accepted, to delay it or to lose the response. */
    beforeTaking: async (): Promise<void> => {},
    afterTaking: async (): Promise<void> => {},
  };

  const send = async (_call: unknown, { number }: Record<string, unknown>) => {
    if (floor.refuses.has(number as string)) throw new RemoteError("rejected", `${String(number)} is not known here`);
    await floor.beforeTaking();
    floor.sent.push(number as string);
    await floor.afterTaking();
    return {};
  };
  const push = (name: "orders.export" | "orders.recall", idempotent: boolean) =>
    pushTask(name, { description: "What a test says.", idempotent, send });
  const connectorOf = (idempotent: boolean): string =>
    installConnector([
      pullTask("orders.import", {
        description: "What a test says.",
        isIncremental: false,
        input: Type.Object({}),
        async *pull() {
          for (const records of floor.pages) yield await Promise.resolve({ records, cursor: null });
        },
      }),
      push("orders.export", idempotent),
      push("orders.recall", idempotent),
    ]);
  const connectors = { keyed: connectorOf(true), blind: connectorOf(false) };

  return {
    floor,
    async ended(org: TestOrg, id: string) {
      const look = async () => (await org.get(`/tasks/executions/${id}`)).body;
      return await eventually(look, ({ finishedAt }) => finishedAt !== null);
    },
    /** `blind`: without a lookup of received orders. */
    async aShop(kind: keyof typeof connectors = "keyed") {
      const org = await hub.org();
      const bridge = await org.post("/bridges", { name: "Shop", connector: connectors[kind] });
      const bridgeId: string = bridge.body.id;
      const execute = async (taskName: string, input: object = {}) =>
        (await org.post("/tasks/execute-sync", { bridgeId, taskName, input })).body;
      return {
        ...inboxOf(org),
        org,
        bridgeId,
        execute,
        async importing(...records: PulledRecord[]) {
          floor.pages = [records];
          return await execute("orders.import");
        },
        async mapping(mappings: object[], mode: "extend" | "replace" = "extend") {
          const about = { bridgeId, taskName: "orders.import", direction: "inbound", mode };
          const made = await org.post("/transformations", { name: "Money", ...about, mappings });
          expect(made.status, made.text).toBe(201);
        },
        order: async (number: string) => (await org.get(`/orders/${number}`)).body,
        run: async (number: string, type: string, params: object = {}) =>
          (await org.post("/operations/run", { order_ids: [number], actions: [{ type, params }] })).body,
      };
    },
  };
}
