import type { TestOrg } from "../server/src/testing/test-hub.ts";

const day = 86_400_000;
const carriers = ["UPS", "FedEx", "USPS"];
const places: Array<[city: string, state: string, zip: string]> = [
  ["Albany", "NY", "12207"],
  ["Miami", "FL", "33101"],
  ["Austin", "TX", "78701"],
  ["Portland", "OR", "97201"],
];

/** Shipments of the last weeks: most delivered, some late, some never scanned. */
export function shipmentsCsv(count: number, now: number): string {
  const date = (at: number): string => new Date(at).toISOString().slice(0, 10);
  const rows = Array.from({ length: count }, (_, at) => {
    const [city, state, zip] = places[at % places.length]!;
    const shipped = now - ((at * 7) % 33) * day - 2 * day;
    const took = 2 + ((at * 5) % 4);
    const isDelivered = shipped + took * day < now && at % 9 !== 0;
    const isSeen = at % 13 !== 0;
    return [
      `1Z${100_000 + at}`,
      carriers[at % carriers.length]!,
      at % 4 === 0 ? "2nd Day Air" : "Ground",
      date(shipped),
      isSeen ? date(shipped + day / 2) : "",
      date(shipped + (at % 6 === 0 ? 3 : 5) * day),
      isDelivered && isSeen ? date(shipped + took * day) : "",
      city,
      state,
      zip,
    ].join(",");
  });
  return ["Tracking,Carrier,Service,Ship Date,First Scan,Promised Date,Delivered,City,State,ZIP", ...rows].join("\n");
}

/** A failed and a succeeded task. */
export async function seedTasks(org: TestOrg): Promise<void> {
  const { body: bridge } = await org.post("/bridges", { name: "Warehouse East", connector: "demo" });
  for (const taskName of ["fail", "noop"]) {
    const { status, text } = await org.post("/tasks/execute", { bridgeId: bridge.id, taskName, maxAttempts: 1 });
    if (status >= 300) throw new Error(text);
  }
}
