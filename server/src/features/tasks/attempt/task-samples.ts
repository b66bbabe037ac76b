import type { Ctx, World } from "../../../context.ts";
import type { ExecutionRow } from "../executions.store.ts";
import * as store from "./samples.store.ts";
import type { Mapped } from "./task-mappings.ts";

/** A record as received, and its mapped output. No output: it could not be mapped. */
export type SampledRecord = { source: unknown; output?: unknown };

export type Sample = {
  executionId: string;
  taskName: string;
  createdAt: Date;
  /** Undefined: encrypted with a key that this hub no longer has. */
  records: SampledRecord[] | undefined;
};

const maxRecords = 5;
const maxBytes = 64 * 1024;
/** The most executions that one replay reads. */
const mostKept = 50;
const keptMs = 7 * 86_400_000;

export type Sampler = { add(source: unknown, mapped: Mapped): void; save(): Promise<void> };

/**
 * Collects the first records of an attempt. They can hold personal data, also data that the mapping drops on purpose: so there are
 * few of them, encrypted, and deleted after seven days.
 */
export function createSampler(world: World, execution: ExecutionRow): Sampler {
  const texts: string[] = [];
  let bytes = 0;
  let isSaved = false;
  return {
    add(source, mapped) {
      if (isSaved || texts.length >= maxRecords) return;
      const record: SampledRecord = mapped.ok ? { source, output: mapped.output } : { source };
      const text = JSON.stringify(record);
      const size = Buffer.byteLength(text);
      if (bytes + size > maxBytes) return;
      bytes += size;
      texts.push(text);
    },
    async save() {
      if (isSaved || texts.length === 0) return;
      isSaved = true;
      try {
        const sealed = world.secrets.seal(`[${texts.join(",")}]`, contextOf(execution.org_id, execution.id));
        await store.saveSample(world.db, execution, sealed, world.clock.now(), mostKept);
      } catch (error) {
        // Samples only help to write mappings; the attempt goes on without them.
        world.log.warn({ err: error, executionId: execution.id }, "sample could not be stored");
      }
    },
  };
}

/** Newest first. */
export async function listSamples(
  ctx: Ctx,
  task: { bridgeId: string; taskName?: string | undefined; limit: number },
): Promise<Sample[]> {
  const rows = await store.listSamples(ctx.db, ctx.orgId, task);
  return rows.map(({ sealed, ...sample }) => ({ ...sample, records: open(ctx, sample.executionId, sealed) }));
}

function open(ctx: Ctx, executionId: string, sealed: string): SampledRecord[] | undefined {
  try {
    return JSON.parse(ctx.secrets.open(sealed, contextOf(ctx.orgId, executionId))) as SampledRecord[];
  } catch {
    return undefined;
  }
}

function contextOf(orgId: string, executionId: string): string {
  return `task_sample:${orgId}:${executionId}`;
}

export async function removeOldSamples(world: World): Promise<void> {
  await store.deleteSamplesAcrossOrgs(world.db, new Date(world.clock.now().getTime() - keptMs));
}
