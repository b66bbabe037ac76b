import { parseArgs } from "node:util";
import { describeBackupSession, runBackupSession } from "./backup-session.ts";
import { runBoundaries, scenarios } from "./boundaries.ts";
import { makePlan } from "./chaos-plan.ts";
import { describeBoundaries, describeSession, isClean } from "./chaos-report.ts";
import { runSession } from "./chaos-session.ts";
import { describeFirstStarts, isFirstStartClean, runFirstStarts } from "./first-start.ts";
import { describeTimes, measureTimes } from "./measure-times.ts";
import { describeImport, runImportStory } from "./import-story.ts";
import { describeLabelSession, isLabelClean, runLabelSession } from "./label-session.ts";
import { describeScheduleSession, isScheduleClean, runScheduleSession } from "./schedule-session.ts";
import { describeSiege, missedBars } from "./siege-report.ts";
import { runSiege } from "./siege.ts";
import { describeStory, runStory } from "./story/run-story.ts";
import { fewestStories } from "./story/story-plan.ts";
import { describeTaskSession, isTaskClean, runTaskSession } from "./task-session.ts";
import { walkDeliveries } from "./webhook-boundaries.ts";
import { describeWebhookSession, isWebhookClean, runWebhookSession } from "./webhook-session.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    kills: { type: "string" },
    minutes: { type: "string", default: "10" },
    boundaries: { type: "boolean", default: false },
    every: { type: "string", default: "1" },
    tasks: { type: "boolean", default: false },
    nodes: { type: "string", default: "2" },
    import: { type: "boolean", default: false },
    orders: { type: "string" },
    story: { type: "boolean", default: false },
    schedules: { type: "boolean", default: false },
    occurrences: { type: "string", default: "10000" },
    times: { type: "boolean", default: false },
    webhooks: { type: "boolean", default: false },
    siege: { type: "boolean", default: false },
    "first-start": { type: "boolean", default: false },
    small: { type: "boolean", default: false },
    backup: { type: "boolean", default: false },
    labels: { type: "boolean", default: false },
  },
});
const log = (line: string): void => console.error(line);
const withinMs = number("minutes", values.minutes, 0.1, 120) * 60_000;

if (values.boundaries) await walkBoundaries();
else if (values.tasks) await strikeTasks();
else if (values.webhooks) await strikeWebhooks();
else if (values.schedules) await strikeSchedules();
else if (values.labels) await strikeLabels();
else if (values.import) await playImportStory();
else if (values.story) await playStories();
else if (values.siege) await besiege(values.small ? "small" : "all");
else if (values["first-start"]) await endFirstStarts();
else if (values.backup) await strikeBackups();
else if (values.times) console.log(describeTimes(await measureTimes(5, log)));
else await runChaos();

function readSeed(): number {
  return values.seed === undefined ? Date.now() % 2 ** 32 : number("seed", values.seed, 0, 2 ** 32 - 1);
}

function readKills(usual: number): number {
  return number("kills", values.kills ?? String(usual), 1, 10_000);
}

function readOrders(usual: number, least: number): number {
  return number("orders", values.orders ?? String(usual), least, 100_000);
}

async function strikeTasks(): Promise<void> {
  const options = { strikes: readKills(300), nodes: number("nodes", values.nodes, 1, 5) };
  const result = await runTaskSession({ seed: readSeed(), ...options, clients: 6, withinMs }, log);
  console.log(describeTaskSession(result));
  if (!isTaskClean(result)) process.exitCode = 1;
}

async function strikeWebhooks(): Promise<void> {
  const options = { strikes: readKills(300), nodes: number("nodes", values.nodes, 1, 5) };
  const result = await runWebhookSession({ seed: readSeed(), ...options, withinMs }, log);
  console.log(describeWebhookSession(result));
  if (!isWebhookClean(result)) process.exitCode = 1;
}

async function strikeSchedules(): Promise<void> {
  const strikes = readKills(300);
  const nodes = number("nodes", values.nodes, 1, 5);
  const occurrences = number("occurrences", values.occurrences, 1, 1_000_000);
  const result = await runScheduleSession({ seed: readSeed(), strikes, nodes, occurrences, withinMs }, log);
  console.log(describeScheduleSession(result));
  if (!isScheduleClean(result)) process.exitCode = 1;
}

async function strikeLabels(): Promise<void> {
  const options = { kills: readKills(300), nodes: number("nodes", values.nodes, 2, 5) };
  const result = await runLabelSession({ seed: readSeed(), ...options, clients: 5, withinMs }, log);
  console.log(describeLabelSession(result));
  if (!isLabelClean(result)) process.exitCode = 1;
}

async function playImportStory(): Promise<void> {
  const kills = readKills(10);
  const options = { seed: readSeed(), orders: readOrders(5_000, 1), kills, withinMs };
  const result = await runImportStory(options, log);
  console.log(describeImport(options, result));
  if (result.problems.length > 0) process.exitCode = 1;
}

async function playStories(): Promise<void> {
  const options = { seed: readSeed(), orders: readOrders(2_000, fewestStories), kills: readKills(10), withinMs };
  log(`seed ${options.seed}: ${options.orders} orders, ${options.kills} kills`);
  const result = await runStory(options, log);
  console.log(describeStory(result));
  if (result.problems.length > 0) process.exitCode = 1;
}

async function endFirstStarts(): Promise<void> {
  const result = await runFirstStarts({ kills: readKills(200), withinMs }, log);
  console.log(describeFirstStarts(result));
  if (!isFirstStartClean(result)) process.exitCode = 1;
}

async function strikeBackups(): Promise<void> {
  const result = await runBackupSession({ seed: readSeed(), clients: 4, withinMs }, log);
  console.log(describeBackupSession(result));
  if (result.problems.length > 0) process.exitCode = 1;
}

async function besiege(kind: "all" | "small"): Promise<void> {
  const seconds = { warmUp: 5, unloaded: kind === "small" ? 20 : 60, siege: withinMs / 1000, after: 10 };
  const size = kind === "small" ? { orders: 1_000, parcels: 1_000 } : { orders: 10_000, parcels: 100_000 };
  const result = await runSiege({ size, seconds, kind }, log);
  console.log(describeSiege(result, kind));
  if (missedBars(result, kind).length > 0) process.exitCode = 1;
}

async function runChaos(): Promise<void> {
  const seed = readSeed();
  const plan = makePlan(seed, readKills(300));
  log(`seed ${seed}: up to ${plan.strikes.length} kills within ${values.minutes} minutes`);
  const size = { orders: 1_000, goods: 120, syncOrders: [10, 200], asyncOrders: [500, 1_000] } as const;
  const result = await runSession(
    {
      plan,
      size: { ...size, syncOrders: [...size.syncOrders], asyncOrders: [...size.asyncOrders] },
      runners: { sync: 3, async: 2, editors: 3, makers: 2 },
      withinMs,
    },
    log,
  );
  console.log(describeSession(result));
  if (!isClean(result)) process.exitCode = 1;
}

async function walkBoundaries(): Promise<void> {
  const options = { every: number("every", values.every, 1, 100), withinMs, log };
  const results = values.webhooks
    ? await walkDeliveries({ ...options, moments: ["before", "sent"] })
    : await runBoundaries({ ...options, scenarios });
  console.log(describeBoundaries(results));
  const isWhole = results.every(
    ({ completedAt, differences }) => completedAt !== undefined && differences.length === 0,
  );
  if (!isWhole) process.exitCode = 1;
}

function number(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (value >= least && value <= most) return value;
  throw new RangeError(`--${name} must be a number from ${least} to ${most}, not "${text}".`);
}
