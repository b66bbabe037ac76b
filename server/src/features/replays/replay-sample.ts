import type { Sample } from "../tasks/tasks.ts";
import type { runMapping } from "../transformations/transformations.ts";
import { differencesOf } from "./differences.ts";
import type { ReplayedExecution } from "./replays.schemas.ts";

export type Outcome = ReturnType<typeof runMapping> | { ok: false; errors: ReplayedExecution["errors"] };
export type MapData = (data: unknown) => Outcome;

const maxErrors = 20;

/** What would become of the records that were kept. */
export function replaySample({ executionId, createdAt, records }: Sample, map: MapData): ReplayedExecution {
  const about = { executionId, createdAt: createdAt.toISOString() };
  if (!records) {
    const reason = "Its records were sealed with a key that this hub does not have any more.";
    return { ...about, status: "not_recorded", reason, differences: [], errors: [] };
  }
  const mapped = records.map(({ source }) => map(source));
  const errors = mapped.flatMap((outcome, record) =>
    outcome.ok ? [] : outcome.errors.map((error) => ({ ...error, record })),
  );
  if (errors.length > 0) {
    const shown = errors.slice(0, maxErrors);
    return { ...about, status: "failed", records: records.length, differences: [], errors: shown };
  }
  const differences = differencesOf(
    records.map(({ output }) => output),
    mapped.map((outcome) => (outcome.ok ? outcome.output : undefined)),
  );
  return {
    ...about,
    status: differences.length === 0 ? "same" : "changed",
    records: records.length,
    differences,
    errors: [],
  };
}
