import { collectDefaultMetrics, Gauge, Histogram, Registry } from "@prometheus-io/client";
import type { World } from "../context.ts";
import { taskCounters } from "../features/tasks/tasks.ts";

export type Metrics = {
  observe(method: string, route: string, status: number, durationMs: number): void;
  text(): Promise<string>;
};

/** What is counted, and how it is told to Prometheus. */
export function createRegistry(world: World, inFlight: () => number): Metrics {
  processRegistry();
  const registry = new Registry();
  registry.setDefaultLabels({ environment: world.environment });
  const durations = new Histogram({
    name: "hub_http_request_duration_seconds",
    help: "Time to answer, by route",
    labelNames: ["method", "route", "status"],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [registry],
  });
  const gauge = (name: string, help: string, read: () => number): Gauge =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect(this: Gauge) {
        this.set(read());
      },
    });
  gauge("hub_http_requests_in_flight", "Requests being answered", inFlight);
  gauge("hub_database_connections", "Open database connections", () => world.db.connectionCounts().total);
  gauge(
    "hub_task_fenced_writes",
    "Attempts that came too late and changed nothing",
    () => taskCounters(world).fencedWrites,
  );
  gauge("hub_task_recoveries", "Executions taken up from workers that were gone", () => taskCounters(world).recovered);
  gauge("hub_database_waiting", "Requests waiting for a database connection", () => world.db.waitingCount());

  return {
    observe: (method, route, status, durationMs) => durations.observe({ method, route, status }, durationMs / 1000),
    text: async () => [await processRegistry().metrics(), await registry.metrics()].join("\n"),
  };
}

let ofProcess: Registry | undefined;
/** How busy the process is; ten times a second, as it would be, keeps an idle one awake. */
const lookEveryMs = 1_000;

/** Memory, garbage and the like are those of the process, whichever surface is asked: they are watched once. */
function processRegistry(): Registry {
  if (ofProcess) return ofProcess;
  ofProcess = new Registry();
  collectDefaultMetrics({ register: ofProcess, eventLoopUtilizationTimeout: lookEveryMs });
  return ofProcess;
}
