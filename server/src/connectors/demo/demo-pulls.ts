import { Type } from "../../core/type.ts";
import { Strict } from "../../core/schema.ts";
import type { Call, Page, PulledRecord } from "../connector.ts";
import { RemoteError } from "../../core/remote-error.ts";
import { pullTask } from "../standard-tasks.ts";
import { demoInventory, demoLocations, demoOrder, demoTracking } from "./demo-shop.ts";

const maxCount = 100_000;

const Count = Type.Integer({
  title: "Count",
  minimum: 0,
  maximum: maxCount,
  default: 25,
  description: "Number of records to read; the demo shop is endless",
});
const Seed = Type.Integer({ title: "Seed", minimum: 0, maximum: 9999, description: "Default: that of the bridge" });
const Slice = Strict({ count: Type.Optional(Count), seed: Type.Optional(Seed) }, { examples: [{ count: 100 }] });

/** The cursor is the number of records read. */
async function* inPages(call: Call, cursor: unknown, total: number, make: (index: number) => PulledRecord) {
  const size = (call.settings.pageSize as number | undefined) ?? 50;
  let done = (cursor as { done?: number } | null | undefined)?.done ?? 0;
  do {
    // Simulates the duration of a request, so that cancellation and other executions get a chance.
    await new Promise((resolve) => setImmediate(resolve));
    if (call.signal.aborted) throw new RemoteError("cancelled", "The import was cancelled.");
    const length = Math.min(size, total - done);
    const from = done;
    done += Math.max(length, 0);
    const records = Array.from({ length: Math.max(length, 0) }, (_, i) => make(from + i));
    yield { records, cursor: { done }, total } satisfies Page;
  } while (done < total);
}

function countOf(call: Call): number {
  return (call.input.count as number | undefined) ?? 25;
}

function seedOf({ input, settings }: Call): number {
  return (input.seed as number | undefined) ?? (settings.seed as number | undefined) ?? 1;
}

const ordersImport = pullTask("orders.import", {
  description: "Generated orders, equal for the same seed; importing them again changes nothing.",
  input: Slice,
  isIncremental: false,
  pull: (call, cursor) => inPages(call, cursor, countOf(call), (index) => demoOrder(seedOf(call), index)),
});

const trackingPull = pullTask("tracking.pull", {
  description: "Tracking of the parcels of the first orders.",
  input: Slice,
  isIncremental: false,
  pull: (call, cursor) =>
    inPages(call, cursor, countOf(call), (index) => demoTracking(seedOf(call), index, call.now())),
});

const locationsPull = pullTask("locations.pull", {
  description: "Two warehouses and a store.",
  input: Strict({}),
  isIncremental: false,
  pull(call, cursor) {
    const all = demoLocations();
    return inPages(call, cursor, all.length, (index) => all[index]!);
  },
});

const inventoryPull = pullTask("inventory.pull", {
  description: "Stock of each product per location.",
  input: Strict({ seed: Type.Optional(Seed) }),
  isIncremental: false,
  pull(call, cursor) {
    const all = demoInventory(seedOf(call));
    return inPages(call, cursor, all.length, (index) => all[index]!);
  },
});

export const demoPulls = [ordersImport, locationsPull, trackingPull, inventoryPull];
