import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "@prometheus-io/client";
import type { World } from "../context.ts";
import { taskCounters } from "../features/tasks/tasks.ts";
import { deliveryCounters } from "../features/webhooks/webhooks.ts";

export type Metrics = {
  observe(method: string, route: string, status: number, durationMs: number): void;
  /** Why a request got a 503. */
  refused(code: string): void;
  /** In the format of Prometheus, as they are sent. */
  bytes(): Promise<Buffer>;
};

/** What is read from the database when somebody asks, and not more often than this. */
const backlogMs = 5_000;
/** Cached for this long: making them holds the event loop, and the endpoint may be public. */
const cacheMs = 1_000;

export type MetricsOptions = { inFlight(): number; streams(): number; readBacklog(): Promise<Backlog> };

/** The part of what the workers know that is told here. */
type Backlog = {
  works: { work: string; waiting: number; oldestSeconds: number; leased: number }[];
  outcomes: { work: string; outcome: string; count: number }[];
  scheduleLagSeconds: number;
  unsealedEvents: { count: number; oldestSeconds: number };
  webhooks: { active: number; failing: number; paused: number; disabled: number; behind: number };
};

/** What is counted, and how it is told to Prometheus. */
export function createRegistry(world: World, { inFlight, streams, readBacklog }: MetricsOptions): Metrics {
  processRegistry();
  const { environment } = world;
  // They are most of the text. Without default labels, which are written anew for each line, it takes half as long.
  const timed = new Registry();
  const durations = new Histogram({
    name: "hub_http_request_duration_seconds",
    help: "Time to answer, by route",
    labelNames: ["environment", "method", "route", "status"],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [timed],
  });
  const registry = new Registry();
  registry.setDefaultLabels({ environment });
  const gauge = (name: string, help: string, read: () => number): Gauge =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect(this: Gauge) {
        this.set(read());
      },
    });
  /** Of what something else has counted since the process started. */
  const counter = (name: string, help: string, read: () => number): Counter =>
    new Counter({
      name,
      help,
      registers: [registry],
      collect(this: Counter) {
        this.reset();
        this.inc(read());
      },
    });
  gauge("hub_http_requests_in_flight", "Requests being answered", inFlight);
  gauge("hub_event_streams", "Streams of server-sent events that are open", streams);
  gauge("hub_database_connections", "Open database connections", () => world.db.connectionCounts().total);
  const tasks = taskCounters(world);
  counter("hub_task_fenced_writes_total", "Attempts that came too late and changed nothing", () => tasks.fencedWrites);
  counter("hub_task_recoveries_total", "Executions taken up from workers that were gone", () => tasks.recovered);
  const deliveries = deliveryCounters(world);
  counter("hub_webhook_attempts_total", "Requests that this process has sent to webhooks", () => deliveries.attempts);
  counter("hub_webhook_delivered_total", "Deliveries that webhooks took", () => deliveries.delivered);
  counter("hub_webhook_given_up_total", "Deliveries that were given up", () => deliveries.failed);
  counter(
    "hub_webhook_fenced_writes_total",
    "Deliveries whose end came too late and changed nothing",
    () => deliveries.fenced,
  );
  gauge("hub_database_waiting", "Requests waiting for a database connection", () => world.db.waitingCount());

  const refusals = new Counter({
    name: "hub_http_unavailable_total",
    help: "Requests that were answered 503, by the code of the problem",
    labelNames: ["code"],
    registers: [registry],
  });
  const updateBacklog = createBacklogGauges(registry);
  let known: { at: number; backlog: Promise<void> } | undefined;
  async function look(): Promise<void> {
    const now = performance.now();
    if (!known || now - known.at > backlogMs) known = { at: now, backlog: readBacklog().then(updateBacklog) };
    // Without a database everything else is still worth knowing.
    await known.backlog.catch((error: unknown) => world.log.warn({ err: error }, "what waits was not measured"));
  }

  async function tell(): Promise<Buffer> {
    await look();
    return Buffer.from([await processRegistry().metrics(), await timed.metrics(), await registry.metrics()].join("\n"));
  }
  let told: { at: number; bytes: Promise<Buffer> } | undefined;

  return {
    refused: (code) => refusals.inc({ code }),
    observe: (method, route, status, durationMs) =>
      durations.observe({ environment, method, route, status }, durationMs / 1000),
    async bytes() {
      const now = performance.now();
      if (!told || now - told.at > cacheMs) told = { at: now, bytes: tell() };
      return await told.bytes;
    },
  };
}

function createBacklogGauges(registry: Registry): (backlog: Backlog) => void {
  const registers = [registry];
  const labelNames = ["work"];
  const gauge = (name: string, help: string) => new Gauge({ name, help, labelNames, registers });
  const waiting = gauge("hub_work_waiting", "Pieces of work that are due and that nobody works on, on all nodes");
  const oldest = gauge("hub_work_oldest_seconds", "How long the oldest of them has been due");
  const leased = gauge("hub_work_running", "Pieces of work that some node works on");
  const outcomes = new Counter({
    name: "hub_work_outcomes_total",
    help: "Pieces of work that ended in this process since it started, by how",
    labelNames: ["work", "outcome"],
    registers,
  });
  const lag = new Gauge({ name: "hub_schedule_lag_seconds", help: "How late the latest schedule is", registers });
  const unsealed = new Gauge({ name: "hub_unsealed_events", help: "Entries of audit logs without a seal", registers });
  const unsealedAge = new Gauge({
    name: "hub_unsealed_events_oldest_seconds",
    help: "How long the oldest of them has waited for its seal",
    registers,
  });
  const webhooks = new Gauge({ name: "hub_webhooks", help: "Webhooks by status", labelNames: ["status"], registers });
  const behind = new Gauge({
    name: "hub_webhooks_behind",
    help: "Entries of the event log that the active webhook furthest behind has before it",
    registers,
  });
  return (backlog) => {
    const { behind: entries, ...counts } = backlog.webhooks;
    for (const [status, count] of Object.entries(counts)) webhooks.set({ status }, count);
    behind.set(entries);
    for (const one of backlog.works) {
      waiting.set({ work: one.work }, one.waiting);
      oldest.set({ work: one.work }, one.oldestSeconds);
      leased.set({ work: one.work }, one.leased);
    }
    outcomes.reset();
    for (const { work, outcome, count } of backlog.outcomes) outcomes.inc({ work, outcome }, count);
    lag.set(backlog.scheduleLagSeconds);
    unsealed.set(backlog.unsealedEvents.count);
    unsealedAge.set(backlog.unsealedEvents.oldestSeconds);
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
