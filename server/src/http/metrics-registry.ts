import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "@prometheus-io/client";
import type { World } from "../context.ts";
import { carrierWebhookCounters } from "../features/carrier-webhooks/carrier-webhooks.ts";
import { taskCounters } from "../features/tasks/tasks.ts";
import { deliveryCounters } from "../features/webhooks/webhooks.ts";

export type Metrics = {
  observe(method: string, route: string, status: number, durationMs: number): void;
  /** Counts a 503, by its error code. */
  refused(code: string): void;
  /** The body of GET /metrics, in the format of Prometheus. */
  bytes(): Promise<Buffer>;
  /** The metrics of this process, without those that are read from the database. */
  ownText(): Promise<string>;
};

/** The backlog is read from the database on a scrape, at most this often. */
const backlogMs = 5_000;
/** Cached for this long: rendering holds the event loop, and the endpoint may be public. */
const cacheMs = 1_000;

export type MetricsOptions = {
  inFlight(): number;
  streams(): number;
  readBacklog(): Promise<Backlog>;
  peers?: Peers;
};

/**
 * The other processes that serve the same port. A scrape reaches any of them, so it returns the series of all, each with the
 * label `process`: a sum would look like a counter reset when one of them is replaced.
 */
export type Peers = {
  /** Undefined: there are no others. */
  process: number | undefined;
  ask(): Promise<string[]>;
  onQuestion(answer: () => Promise<string>): void;
};

/** The part of the workers' state that is exported. */
type Backlog = {
  queues: { queue: string; waiting: number; oldestSeconds: number; running: number }[];
  outcomes: { queue: string; outcome: string; count: number }[];
  scheduleLagSeconds: number;
  unsealedEvents: { count: number; oldestSeconds: number };
  webhooks: { active: number; failing: number; paused: number; disabled: number; behind: number };
};

/** The metrics of one surface, in the format of Prometheus. */
export function createRegistry(world: World, { inFlight, streams, readBacklog, peers }: MetricsOptions): Metrics {
  const { environment } = world;
  const processLabel: Record<string, string> = peers?.process === undefined ? {} : { process: String(peers.process) };
  processRegistry(processLabel);
  // The histogram is most of the text. Default labels are rendered anew for each line; without them it takes half as long.
  const timed = new Registry();
  const durations = new Histogram({
    name: "hub_http_request_duration_seconds",
    help: "HTTP response time in seconds, by route",
    labelNames: ["environment", "method", "route", "status", ...Object.keys(processLabel)],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [timed],
  });
  const registry = new Registry();
  registry.setDefaultLabels({ environment, ...processLabel });
  const backlogRegistry = new Registry();
  backlogRegistry.setDefaultLabels({ environment });
  const gauge = (name: string, help: string, read: () => number): Gauge =>
    new Gauge({
      name,
      help,
      registers: [registry],
      collect(this: Gauge) {
        this.set(read());
      },
    });
  /** Exports a count that another module keeps since the process started. */
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
  gauge("hub_http_requests_in_flight", "HTTP requests in flight", inFlight);
  gauge("hub_event_streams_open", "Open streams of server-sent events", streams);
  gauge("hub_database_pool_connections", "Open database connections", () => world.db.connectionCounts().total);
  gauge("hub_database_pool_waiting", "Requests waiting for a database connection", () => world.db.waitingCount());
  const tasks = taskCounters(world);
  counter(
    "hub_task_fenced_writes_total",
    "Task attempts that lost their lease; nothing written",
    () => tasks.fencedWrites,
  );
  counter("hub_task_recoveries_total", "Task executions recovered from lost workers", () => tasks.recovered);
  const deliveries = deliveryCounters(world);
  counter("hub_webhook_attempts_total", "Requests sent to webhooks", () => deliveries.attempts);
  counter(
    "hub_webhook_fenced_writes_total",
    "Webhook deliveries that lost their lease; nothing written",
    () => deliveries.fenced,
  );
  countOutcomes(registry, "hub_webhook_deliveries_total", "Webhook deliveries that ended, by outcome", () => {
    const { delivered, failed } = deliveries;
    return { delivered, failed };
  });
  const fromCarriers = carrierWebhookCounters(world);
  countOutcomes(registry, "hub_carrier_webhooks_total", "Webhooks from carriers, by outcome", () => fromCarriers);
  const refusals = new Counter({
    name: "hub_http_unavailable_total",
    help: "HTTP responses with status 503, by error code",
    labelNames: ["code"],
    registers: [registry],
  });
  const updateBacklog = createBacklogMetrics(backlogRegistry, registry);
  let backlog: { at: number; updated: Promise<void> } | undefined;
  async function refreshBacklog(): Promise<void> {
    const now = performance.now();
    if (!backlog || now - backlog.at > backlogMs) backlog = { at: now, updated: readBacklog().then(updateBacklog) };
    // The other metrics are worth having while the database is unreachable.
    await backlog.updated.catch((error: unknown) =>
      world.log.warn({ err: error }, "the backlog could not be measured"),
    );
  }

  async function ownText(): Promise<string> {
    const registries = [processRegistry(processLabel), timed, registry];
    return (await Promise.all(registries.map((one) => one.metrics()))).join("\n");
  }

  async function render(): Promise<Buffer> {
    await refreshBacklog();
    const texts = peers?.process === undefined ? [] : await peers.ask();
    return Buffer.from([mergeFamilies([await ownText(), ...texts]), await backlogRegistry.metrics()].join("\n"));
  }
  let rendered: { at: number; bytes: Promise<Buffer> } | undefined;

  return {
    refused: (code) => refusals.inc({ code }),
    observe: (method, route, status, durationMs) =>
      durations.observe({ environment, method, route, status, ...processLabel }, durationMs / 1000),
    async bytes() {
      const now = performance.now();
      if (!rendered || now - rendered.at > cacheMs) rendered = { at: now, bytes: render() };
      return await rendered.bytes;
    },
    ownText,
  };
}

/** Exports counts by outcome that another module keeps since the process started. */
function countOutcomes(registry: Registry, name: string, help: string, read: () => Record<string, number>): void {
  const counter = new Counter({
    name,
    help,
    labelNames: ["outcome"],
    registers: [],
    collect() {
      counter.reset();
      for (const [outcome, count] of Object.entries(read())) counter.inc({ outcome }, count);
    },
  });
  registry.registerMetric(counter);
}

/** Series of the same metric have to stand together, below one HELP and TYPE line. */
function mergeFamilies(texts: string[]): string {
  if (texts.length === 1) return texts[0]!;
  const families = new Map<string, string>();
  for (const text of texts) {
    for (const family of text.split(/^(?=# HELP )/m).filter((part) => part.trim() !== "")) {
      const name = /^# HELP (\S+)/.exec(family)![1]!;
      const known = families.get(name);
      const series = family.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
      families.set(name, known === undefined ? `${family.trimEnd()}\n` : `${known}${series.join("\n")}\n`);
    }
  }
  return [...families.values()].join("\n");
}

/** `ofProcess`: for what this process has done; the rest is read from the database. */
function createBacklogMetrics(database: Registry, ofProcess: Registry): (backlog: Backlog) => void {
  const registers = [database];
  const labelNames = ["queue"];
  const gauge = (name: string, help: string) => new Gauge({ name, help, labelNames, registers });
  const waiting = gauge("hub_jobs_waiting", "Jobs that are due and not leased, across all nodes");
  const oldest = gauge("hub_jobs_oldest_age_seconds", "Seconds since the oldest of them became due");
  const running = gauge("hub_jobs_running", "Jobs that are leased, across all nodes");
  const processed = new Counter({
    name: "hub_jobs_processed_total",
    help: "Jobs processed by this process, by outcome",
    labelNames: ["queue", "outcome"],
    registers: [ofProcess],
  });
  const lag = new Gauge({
    name: "hub_schedules_max_lag_seconds",
    help: "Lag of the most overdue schedule in seconds",
    registers,
  });
  const unsealed = new Gauge({ name: "hub_audit_entries_unsealed", help: "Audit entries without a seal", registers });
  const unsealedAge = new Gauge({
    name: "hub_audit_entries_unsealed_oldest_age_seconds",
    help: "Age of the oldest unsealed audit entry in seconds",
    registers,
  });
  const webhooks = new Gauge({ name: "hub_webhooks", help: "Webhooks by status", labelNames: ["status"], registers });
  const maxLag = new Gauge({
    name: "hub_webhooks_max_lag_events",
    help: "Events that the active webhook furthest behind has not been sent yet",
    registers,
  });
  return (backlog) => {
    const { behind, ...counts } = backlog.webhooks;
    for (const [status, count] of Object.entries(counts)) webhooks.set({ status }, count);
    maxLag.set(behind);
    for (const { queue, ...now } of backlog.queues) {
      waiting.set({ queue }, now.waiting);
      oldest.set({ queue }, now.oldestSeconds);
      running.set({ queue }, now.running);
    }
    processed.reset();
    for (const { queue, outcome, count } of backlog.outcomes) processed.inc({ queue, outcome }, count);
    lag.set(backlog.scheduleLagSeconds);
    unsealed.set(backlog.unsealedEvents.count);
    unsealedAge.set(backlog.unsealedEvents.oldestSeconds);
  };
}

let defaultMetrics: Registry | undefined;
/** Sampling event-loop utilization ten times a second, the library's default, would keep an idle process awake. */
const utilizationSampleMs = 1_000;

/** Memory, garbage collection and the like belong to the process, not to a surface: collected once. */
function processRegistry(labels: Record<string, string>): Registry {
  if (defaultMetrics) return defaultMetrics;
  defaultMetrics = new Registry();
  defaultMetrics.setDefaultLabels(labels);
  collectDefaultMetrics({ register: defaultMetrics, eventLoopUtilizationTimeout: utilizationSampleMs });
  return defaultMetrics;
}
