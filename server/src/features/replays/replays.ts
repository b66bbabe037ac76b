import { HubError } from "../../core/errors.ts";
import type { Ctx } from "../../context.ts";
import { listTasks } from "../bridges/bridges.ts";
import type { Recording, Sample, SampledRecord } from "../tasks/tasks.ts";
import { listRecordings, listSamples } from "../tasks/tasks.ts";
import { getTransformation, prepareMappings, runMapping } from "../transformations/transformations.ts";
import { differencesOf } from "./differences.ts";
import { requireDataScopes } from "./require-data-scopes.ts";
import type { Replay, ReplayedExecution, ReplayRequest } from "./replays.schemas.ts";

type Direction = "inbound" | "outbound";
type Mode = "call" | "pull" | "push";
/** Input of the mapping in an execution, and its output then. `records`: number of records that are mapped one by one. */
type Passage = { data: unknown; outcome: unknown; records?: number } | { reason: string };
type Outcome = { ok: true; output: unknown } | { ok: false; errors: ReplayedExecution["errors"] };
type MapData = (data: unknown) => Outcome;

const maxErrors = 20;

/** Runs a transformation, active or not, on data of recent executions. Changes nothing and makes no outbound requests. */
export async function replayTransformation(ctx: Ctx, id: string, { limit = 20 }: ReplayRequest): Promise<Replay> {
  const transformation = await getTransformation(ctx, id);
  // The scopes are required even though only differences are shown: a crafted mapping could ask about values one by one.
  requireDataScopes(ctx, "A replay", ["tasks:read", "pii:read"]);
  const { bridgeId, taskName, direction, mappings, setIds, version } = transformation;
  const prepared = await prepareMappings(ctx, ctx.orgId, mappings, { bound: setIds });
  const map: MapData = (data) =>
    Array.isArray(prepared) ? { ok: false, errors: prepared } : runMapping(prepared.compiled, data, ctx.clock.now);
  const mode = await modeOf(ctx, bridgeId, taskName);
  const isOneByOne = mode === (direction === "outbound" ? "push" : "pull");
  const isCalled = mode === "call" && direction === "inbound";
  const kept = isOneByOne || isCalled ? await listSamples(ctx, { bridgeId, taskName, limit }) : [];
  const samples = isOneByOne ? kept : [];
  const answers = new Map(isCalled ? kept.map(({ executionId, records }) => [executionId, records?.[0]]) : []);
  const recordings = samples.length === 0 ? await listRecordings(ctx.db, ctx.orgId, { bridgeId, taskName, limit }) : [];
  const results: ReplayedExecution[] = [];
  for (const sample of samples) {
    results.push(replay(sample.executionId, sample.createdAt, passageOfSample(sample), (data) => mapEach(data, map)));
    // Lets other requests run in between.
    await new Promise(setImmediate);
  }
  for (const recording of recordings) {
    const passage = passageOf(recording, direction, mode, answers.get(recording.id));
    results.push(replay(recording.id, recording.created_at, passage, map));
    await new Promise(setImmediate);
  }
  const count = (status: ReplayedExecution["status"]): number => results.filter((one) => one.status === status).length;
  const summary = {
    executions: results.length,
    unchanged: count("unchanged"),
    changed: count("changed"),
    failed: count("failed"),
    notRecorded: count("not_recorded"),
  };
  return { transformationId: id, version, summary, results };
}

/** The mode of a task that no longer exists is not known; `call` is assumed. */
async function modeOf(ctx: Ctx, bridgeId: string, taskName: string): Promise<Mode> {
  try {
    const { data } = await listTasks(ctx, bridgeId);
    return data.find(({ name }) => name === taskName)?.mode ?? "call";
  } catch (error) {
    if (error instanceof HubError && (error.code === "bridge_not_found" || error.code === "invalid_state"))
      return "call";
    throw error;
  }
}

const noRecords =
  "No records of this execution are kept: there were none, they were too large, or they are older than 7 days.";

function passageOf(recording: Recording, direction: Direction, mode: Mode, answer: SampledRecord | undefined): Passage {
  const { input, sent_input, result, transformations } = recording;
  if (direction === "outbound") {
    if (mode === "push") return { reason: noRecords };
    return input === null
      ? { reason: "The input is too large to replay." }
      : { data: input, outcome: sent_input ?? input };
  }
  if (mode === "push") return { reason: "The result of a task that sends orders is not mapped." };
  if (mode === "pull") return { reason: noRecords };
  if (answer) return { data: answer.source, outcome: answer.output };
  if (transformations?.inbound) {
    return {
      reason:
        "Only the output of an earlier transformation is kept: the original result was too large, or is older than 7 days.",
    };
  }
  return result === null
    ? { reason: "The execution has no result, or it is too large." }
    : { data: result, outcome: result };
}

function passageOfSample({ records }: Sample): Passage {
  if (!records) return { reason: "The records were encrypted with a key that this hub no longer has." };
  const [data, outcome] = [records.map(({ source }) => source), records.map(({ output }) => output)];
  return { data, outcome, records: records.length };
}

function mapEach(sources: unknown, map: MapData): Outcome {
  const mapped = (sources as unknown[]).map((source) => map(source));
  const errors = mapped.flatMap((outcome, record) =>
    outcome.ok ? [] : outcome.errors.map((error) => ({ ...error, record })),
  );
  const output = mapped.map((outcome) => (outcome.ok ? outcome.output : undefined));
  return errors.length > 0 ? { ok: false, errors } : { ok: true, output };
}

function replay(executionId: string, at: Date, passage: Passage, map: MapData): ReplayedExecution {
  const about = { executionId, createdAt: at.toISOString(), differences: [], errors: [] };
  if ("reason" in passage) return { ...about, status: "not_recorded", reason: passage.reason };
  const { data, outcome, ...counted } = passage;
  const mapped = map(data);
  if (!mapped.ok) return { ...about, ...counted, status: "failed", errors: mapped.errors.slice(0, maxErrors) };
  const differences = differencesOf(outcome, mapped.output);
  return { ...about, ...counted, status: differences.length === 0 ? "unchanged" : "changed", differences };
}
