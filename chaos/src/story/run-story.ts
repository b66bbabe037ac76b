import { rm } from "node:fs/promises";
import path from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { launch, makeOpenFolder } from "../../../server/src/testing/launch-hub.ts";
import type { Send } from "../chaos-client.ts";
import { accepted, createSender, signIn } from "../chaos-client.ts";
import type { ChaosHub } from "../chaos-hub.ts";
import { createChaosHub, withDatabase } from "../chaos-hub.ts";
import type { StrikeKind } from "../chaos-plan.ts";
import { createRandom } from "../chaos-plan.ts";
import { until } from "../until.ts";
import type { Stage, PlayedStory } from "./story-acts.ts";
import { createActs } from "./story-acts.ts";
import { checkStories } from "./story-checker.ts";
import { createCourier } from "./story-webhooks.ts";
import type { Story } from "./story-plan.ts";
import { fewestStories, planStories } from "./story-plan.ts";
import { scripts } from "./story-scripts.ts";
import type { PartnerUrls, Setup } from "./story-setup.ts";
import { setUp } from "./story-setup.ts";
import type { View } from "./story-view.ts";
import { createView } from "./story-view.ts";

type StoryOptions = {
  seed: number;
  orders: number;
  kills: number;
  withinMs: number;
  /** Triggers schedules and retries instead of waiting for them. */
  isHurried?: boolean;
  /** Data directory of an unused hub; by default a new one. */
  dataDir?: string;
};

type StoryResult = {
  options: StoryOptions;
  struck: Record<StrikeKind, number>;
  seconds: number;
  webhooks: Record<string, number>;
  /** Requests that the partners answered. */
  requests: number;
  /** Executions that were retried by hand after their last attempt. */
  retried: number;
  exceptions: number;
  problems: string[];
  /** Folder with journals, logs and data, if there are problems. */
  evidence: string;
};

/**
 * Two shops that both start with #1001, a third one and a warehouse; orders that are paid late, cancelled, readdressed and partly
 * shipped; failing partners, and a hub that is killed repeatedly. In the end each order has the state that the rules require,
 * each parcel was reported once, and exactly the expected exceptions are open.
 */
export async function runStory(options: StoryOptions, log: (line: string) => void): Promise<StoryResult> {
  const { seed, orders, withinMs, isHurried = false } = options;
  if (orders < fewestStories) throw new RangeError(`There are ${fewestStories} stories.`);
  const began = performance.now();
  const folder = await makeOpenFolder("hub-story-");
  const program = path.join(import.meta.dirname, "story-partners.ts");
  const partners = launch({ command: [process.execPath, program], args: [folder, String(seed)] });
  const hub = createChaosHub(options.dataDir ?? path.join(folder, "data"), path.join(folder, "hub.log"), {
    HUB_PRIVATE_ADDRESSES: "allow",
  });
  let problems: string[] = [];
  try {
    const [, printed = ""] = await partners.printed(/^partners (.*)$/m, 20_000);
    const urls = JSON.parse(printed) as PartnerUrls;
    await hub.start();
    const send = await signIn(hub);
    const setup = await setUp(send, urls);
    const view = createView(hub.dataDir, urls, Math.min(withinMs, 180_000));
    const courier = createCourier(createSender(hub, {}), setup);
    const stage: Stage = { send, courier, view, setup, urls };
    const played = planStories(seed, orders).map(startStory);
    const day = { isPlayed: false, isOver: false, ended: 0, retried: 0 };
    const isPlayed = (): boolean => day.isPlayed;
    const isOver = (): boolean => day.isOver;
    const background = Promise.all([
      repeat(isOver, 200, () => view.refresh()),
      repeat(isPlayed, isHurried ? 1_000 : 15_000, () => triggerAll(send, setup)),
      repeat(isOver, isHurried ? 1_000 : 5_000, async () => void (day.retried += await retryPassing(send))),
      repeat(isOver, 500, async () => (isHurried ? await hasten(hub) : undefined)),
    ]);
    // Enough concurrency that stories waiting for a schedule do not block the others.
    const width = isHurried ? orders : Math.max(60, Math.ceil(orders / 5));
    const [failed, struck] = await Promise.all([
      playAll(stage, played, width, () => day.ended++),
      strikeAlong(hub, options, () => day.ended, log),
    ]);
    day.isPlayed = true;
    log(`all stories have ended after ${secondsSince(began)} s`);
    await courier.arrived();
    for (const url of Object.values(urls)) await fetch(`${url}/_control/calm`, { method: "POST" });
    const check = await settle(stage, played, withinMs, isHurried ? 300 : 3_000);
    day.isOver = true;
    await background;
    problems = [...failed, ...check.problems, ...courier.problems, ...hub.unexpectedEnds()];
    problems.push(...(await wrongInside(send, setup)));
    const requests = await countRequests(urls);
    const evidence = problems.length > 0 ? folder : "";
    const { retried } = day;
    const figures = { seconds: secondsSince(began), webhooks: courier.counts, requests, retried };
    return { options, struck, ...figures, exceptions: check.exceptions, problems, evidence };
  } catch (error) {
    problems.push(String(error));
    throw new Error(`the stories did not end; evidence in ${folder}`, { cause: error });
  } finally {
    await hub.stop();
    await partners.stop();
    if (problems.length === 0) await rm(folder, { recursive: true, force: true });
  }
}

function startStory(story: Story): PlayedStory {
  const lines = story.lines.map((line, at) => ({ ...line, id: 1_000_000 + story.index * 10 + at }));
  return { story, shopOrderId: undefined, lines, parcels: [] };
}

const secondsSince = (began: number): number => Math.round((performance.now() - began) / 1000);

/** Ignores single failures; a hub that stays away is reported by the waiting stories. */
async function repeat(isOver: () => boolean, everyMs: number, work: () => Promise<void>): Promise<void> {
  while (!isOver()) {
    await work().catch(() => {});
    await sleep(everyMs);
  }
}

/** Plays `width` stories at a time in the order of the plan. A story that cannot finish is a problem. */
async function playAll(stage: Stage, played: PlayedStory[], width: number, ended: () => void): Promise<string[]> {
  const left = [...played];
  const problems: string[] = [];
  const tellOn = async (): Promise<void> => {
    for (let one = left.shift(); one; one = left.shift()) {
      const { reference, shop, index, name } = one.story;
      await scripts[name](createActs(stage, one), one).catch((error: unknown) => {
        problems.push(`${reference} of ${shop}, order ${index} (${name}): ${String(error)}`);
      });
      ended();
    }
  };
  await Promise.all(Array.from({ length: width }, tellOn));
  return problems;
}

const strikes: readonly StrikeKind[] = ["hub", "both", "hub", "postgres", "hub"];

/** Spreads the kills over the session, by the share of finished stories. */
async function strikeAlong(
  hub: ChaosHub,
  { seed, orders, kills, withinMs }: StoryOptions,
  ended: () => number,
  log: (line: string) => void,
): Promise<StoryResult["struck"]> {
  const random = createRandom(seed);
  const struck = { hub: 0, postgres: 0, both: 0 };
  for (let n = 0; n < kills; n++) {
    const share = Math.floor((orders * (n + 1)) / (kills + 1));
    await until(
      () => ended() >= share,
      withinMs,
      () => `only ${ended()} stories have ended`,
      50,
    );
    await sleep(random.between(0, 400));
    const kind = strikes[n % strikes.length]!;
    if (kind === "postgres") await hub.killPostgres();
    else if (kind === "hub") await hub.killHub();
    else await hub.killBoth();
    if (kind !== "postgres") await hub.start();
    struck[kind]++;
    log(`${n + 1} kills (${kind}), ${ended()} of ${orders} stories have ended`);
  }
  return struck;
}

/** Triggers all schedules instead of waiting for the next minute. */
async function triggerAll(send: Send, { imports, pushes, tracking }: Setup): Promise<void> {
  for (const id of [...imports, ...pushes, tracking]) await send({ method: "POST", path: `/schedules/${id}/trigger` });
}

const passing = [
  "connection_lost",
  "connect_failed",
  "timeout",
  "remote_error",
  "rate_limited",
  "circuit_open",
  "unexpected_response",
  "invalid_json",
  "outcome_unknown",
  "in_progress",
  "worker_lost",
];

/** Retries executions that failed only because partners or hubs were down more often than there are attempts. */
async function retryPassing(send: Send): Promise<number> {
  let done = 0;
  for (const kind of ["push", "recall", "execution"]) {
    const counts = await send({ method: "GET", path: `/exceptions/counts?kind=${kind}` });
    if (counts.kind === "lost") return done;
    const codes = ((counts.body.byCode ?? []) as { code: string }[]).map(({ code }) => code);
    for (const code of codes.filter((one) => passing.includes(one))) {
      const body = { action: "retry", filter: { kind, code } };
      const reply = await send({ method: "POST", path: "/exceptions/resolve", body });
      if (reply.kind === "answer") done += (reply.body.summary as { done: number } | undefined)?.done ?? 0;
    }
  }
  return done;
}

/** Makes pending retries due now. */
async function hasten(hub: ChaosHub): Promise<void> {
  const text = `with due as (update task_executions set due_at = now()
      where status = 'queued' and attempt > 0 and due_at > now() returning 1)
    select pg_notify('hub_signals', 'task_queued||story') from due limit 1`;
  await withDatabase(hub.dataDir, (db) => db.query(text)).catch(() => {});
}

/** Waits until all work in progress has ended. */
async function settle({ send, setup, view }: Stage, played: PlayedStory[], withinMs: number, everyMs: number) {
  const endsAt = performance.now() + withinMs;
  for (;;) {
    await triggerAll(send, setup);
    // Only a view taken after the trigger and without work in progress counts.
    await view.refresh();
    const isQuiet = await becomesQuiet(view, endsAt);
    const check = await checkStories(send, played, setup, view.journals);
    const isLate = performance.now() > endsAt;
    if (isQuiet && check.problems.length === 0) return check;
    if (!isQuiet && isLate) check.problems.push(...view.busy.map((about) => `does not end: ${about}`));
    if (isLate) return check;
    await sleep(everyMs);
  }
}

async function becomesQuiet(view: View, endsAt: number): Promise<boolean> {
  while (view.busy.length > 0 && performance.now() < endsAt) {
    await sleep(100);
    await view.refresh();
  }
  return view.busy.length === 0;
}

async function wrongInside(send: Send, { automation }: Setup): Promise<string[]> {
  const verification = await accepted(send, { method: "GET", path: "/audit/verification" });
  const { is_active: isActive, pause_reason: why } = await accepted(send, {
    method: "GET",
    path: `/automations/${automation}`,
  });
  return [
    ...(verification.ok === true ? [] : [`the audit chain: ${JSON.stringify(verification)}`]),
    ...(isActive === true ? [] : [`the automation was paused: ${JSON.stringify(why)}`]),
  ];
}

async function countRequests(urls: PartnerUrls): Promise<number> {
  const answers = await Promise.all(
    Object.values(urls).map(async (url) => (await fetch(`${url}/_control/journal?from=999999`)).json()),
  );
  return (answers as { requests: number }[]).reduce((sum, { requests }) => sum + requests, 0);
}

export function describeStory({ options, struck, problems, ...result }: StoryResult): string {
  const { sent, twice, lost, forged } = result.webhooks;
  return [
    `seed               ${options.seed}: ${options.orders} orders in ${result.seconds} s`,
    `kills              hub ${struck.hub}, PostgreSQL ${struck.postgres}, both ${struck.both}`,
    `webhooks            ${sent}, ${twice} of them twice; ${lost} lost on the way, ${forged} forged`,
    `requests           ${result.requests} to shops and warehouse`,
    `inbox              ${result.exceptions} at the end; ${result.retried} tried again meanwhile`,
    `problems           ${problems.length}`,
    ...problems.slice(0, 40).map((line) => `  ! ${line}`),
    ...(result.evidence === "" ? [] : [`evidence           ${result.evidence}`]),
  ].join("\n");
}
