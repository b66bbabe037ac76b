import { costlyWorkbooks } from "../../server/src/testing/costly-workbooks.ts";
import type { Attacker } from "./siege-prepare.ts";
import type { Outgoing } from "./siege-wire.ts";

/** Costs the hub much more than the attacker, again and again. */
export type Attack = {
  name: string;
  everyMs: number;
  /** At the same time. */
  most: number;
  requests: Buffer[];
  /** By default it sends and reads as fast as possible. */
  manner?: "trickles request" | "trickles answer" | "reads nothing" | "hangs up";
  /** Without a token, from many addresses. */
  isAnonymous?: boolean;
};

export type Of = (make: (attacker: Attacker) => Outgoing[]) => Buffer[];

const api = "/api/v1";
const xlsxType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/** Small requests that cause much work (security N1 to N3). */
export function smallAttacks(of: Of): Attack[] {
  const post = (path: string, token: string, body: unknown): Outgoing => ({
    path: `${api}${path}`,
    token,
    body: JSON.stringify(body),
  });
  const many = <T>(count: number, record: T): T[] => Array.from({ length: count }, () => record);
  const files = costlyWorkbooks().map((file) => Buffer.from(file));
  const ofFiles = of(({ token }) =>
    files.map((body) => ({ path: `${api}/orders/import`, token, body, headers: { "content-type": xlsxType } })),
  );
  const twice = (name: string, path: string, body: unknown): Attack => ({
    name,
    everyMs: 100,
    most: 2,
    requests: of(({ token }) => [post(path, token, body)]),
  });
  return [
    twice("10,000 empty shipments", "/shipments/bulk", { shipments: many(10_000, {}) }),
    twice("10,000 empty orders", "/orders/bulk", { orders: many(10_000, {}) }),
    twice("5,000 bad orders", "/orders/bulk", { orders: many(5_000, { number: 1, x: 1 }) }),
    twice("10,000 tracking events", "/shipments/events", { events: many(10_000, { trackingNumber: "T" }) }),
    twice("99 empty shipments", "/shipments/bulk", { shipments: many(99, {}) }),
    { name: "costly workbooks", everyMs: 500, most: 4, requests: ofFiles },
    { name: "costly workbooks, disconnected", everyMs: 500, most: 4, requests: ofFiles, manner: "hangs up" },
    {
      name: "costly files of bridges",
      everyMs: 2_000,
      most: 4,
      requests: of(({ token, filesBridgeId }) => [
        post("/tasks/execute", token, { bridgeId: filesBridgeId, taskName: "orders.import" }),
      ]),
    },
  ];
}
