import type { PullTask } from "../../../connectors/connector.ts";
import type { AttemptWork } from "./attempt.ts";
import { findLastPull } from "../engine/attempts.store.ts";
import type { Checkpoint } from "../executions.store.ts";

/**
 * Where a pull begins. One that reads on begins after the last one. Records that could not be taken then lie behind it:
 * once the transformation is another one, they are read again.
 */
export async function beginPull({ world, bridge, call, mappings }: AttemptWork, task: PullTask): Promise<Checkpoint> {
  const fresh: Checkpoint = { cursor: null, counts: {}, failures: [] };
  const last = task.isIncremental ? await findLastPull(world.db, bridge.row.id, task.name) : undefined;
  if (!last) return fresh;
  const readsOn: Checkpoint = { ...fresh, cursor: last.cursor ?? null };
  const { failedSince, mapping } = last;
  const canReadAgain = "since" in task.input.properties;
  if (failedSince === null || !canReadAgain) return readsOn;
  const asked = call.input.since as string | undefined;
  if (asked !== undefined && Date.parse(asked) <= Date.parse(failedSince)) return readsOn;
  const used = mappings.inbound?.used;
  const isMappedAnew = used?.id !== mapping?.id || used?.version !== mapping?.version;
  if (asked !== undefined || !isMappedAnew) return { ...readsOn, failedSince };
  call.log("info", `Reads from ${failedSince} on: records failed then, and the transformation was changed since.`);
  return { ...readsOn, since: failedSince };
}
