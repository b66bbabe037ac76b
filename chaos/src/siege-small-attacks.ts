import { costlyWorkbooks } from "../../server/src/testing/costly-workbooks.ts";
import type { Noisy } from "./siege-floods.ts";
import type { Wanted } from "./siege-wire.ts";

/** Something that costs the hub much more than its sender, done again and again. */
export type Attack = {
  name: string;
  everyMs: number;
  /** So many at the same time: what is still open is left as it is. */
  most: number;
  requests: Buffer[];
  /** How the answer is taken, or the request given; by default as fast as possible. */
  manner?: "trickles request" | "trickles answer" | "reads nothing" | "hangs up";
  asStranger?: boolean;
};

export type Of = (make: (noisy: Noisy) => Wanted[]) => Buffer[];

const api = "/api/v1";
const xlsxType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/** Small requests with much work in them (security N1 to N3). */
export function smallAttacks(of: Of): Attack[] {
  const post = (path: string, token: string, body: unknown): Wanted => ({
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
    { name: "costly workbooks, hung up", everyMs: 500, most: 4, requests: ofFiles, manner: "hangs up" },
    {
      name: "costly files of bridges",
      everyMs: 2_000,
      most: 4,
      requests: of(({ token, filesBridgeId }) =>
        filesBridgeId === undefined
          ? []
          : [post("/tasks/execute", token, { bridgeId: filesBridgeId, taskName: "orders.import" })],
      ),
    },
  ];
}
