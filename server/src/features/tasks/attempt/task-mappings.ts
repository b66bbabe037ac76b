import { mergePatch } from "../../../core/merge-patch.ts";
import type { World } from "../../../context.ts";
import type { ActiveTransformation } from "../../transformations/transformations.ts";
import { loadActiveTransformations } from "../../transformations/transformations.ts";

export type Mapped = { ok: true; output: Record<string, unknown> } | { ok: false; errors: unknown[] };

type ActiveMapping = {
  used: { id: string; version: number };
  mode: ActiveTransformation["mode"];
  /** `base`: the value that mode `extend` merges the output into; the data by default. */
  map(data: unknown, base?: unknown): Mapped;
  /** Maps with a fixed clock, so that a mapping that writes the time gives comparable content. Undefined: it does not use the time. */
  mapTimeless: ((data: unknown) => Mapped) | undefined;
};

/** The active transformations of one task on one bridge. */
export type ActiveMappings = { outbound?: ActiveMapping; inbound?: ActiveMapping };

export async function loadMappings(
  world: World,
  task: { orgId: string; bridgeId: string; taskName: string },
): Promise<ActiveMappings> {
  const { outbound, inbound } = await loadActiveTransformations(world, task);
  return {
    ...(outbound ? { outbound: toMapping(outbound) } : {}),
    ...(inbound ? { inbound: toMapping(inbound) } : {}),
  };
}

const fixedTime = new Date(0);

function toMapping({ id, version, mode, usesNow, run }: ActiveTransformation): ActiveMapping {
  const merge = (mapped: Mapped, base: unknown): Mapped =>
    mapped.ok && mode === "extend"
      ? { ok: true, output: mergePatch(base, mapped.output) as Record<string, unknown> }
      : mapped;
  const mapTimeless = usesNow ? (data: unknown) => merge(run(data, fixedTime), data) : undefined;
  return { used: { id, version }, mode, map: (data, base = data) => merge(run(data), base), mapTimeless };
}
