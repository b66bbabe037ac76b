import { mergePatch } from "../../../core/merge-patch.ts";
import type { World } from "../../../context.ts";
import type { ActiveTransformation } from "../../transformations/transformations.ts";
import { loadActiveTransformations } from "../../transformations/transformations.ts";

export type Mapped = { ok: true; output: Record<string, unknown> } | { ok: false; errors: unknown[] };

type ActiveMapping = {
  used: { id: string; version: number };
  mode: ActiveTransformation["mode"];
  /** `base`: what is taken without it, which it may extend; the data themselves unless said. */
  map(data: unknown, base?: unknown): Mapped;
  /** As if it were always the same moment: what only the time has changed is the same then. */
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

const always = new Date(0);

function toMapping({ id, version, mode, usesNow, run }: ActiveTransformation): ActiveMapping {
  const onto = (mapped: Mapped, base: unknown): Mapped =>
    mapped.ok && mode === "extend"
      ? { ok: true, output: mergePatch(base, mapped.output) as Record<string, unknown> }
      : mapped;
  const mapTimeless = usesNow ? (data: unknown) => onto(run(data, always), data) : undefined;
  return { used: { id, version }, mode, map: (data, base = data) => onto(run(data), base), mapTimeless };
}
