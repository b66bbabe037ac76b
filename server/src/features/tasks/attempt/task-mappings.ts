import type { World } from "../../../context.ts";
import type { ActiveTransformation } from "../../transformations/transformations.ts";
import { loadActiveTransformations } from "../../transformations/transformations.ts";

export type Mapped = { ok: true; output: Record<string, unknown> } | { ok: false; errors: unknown[] };

type ActiveMapping = {
  used: { id: string; version: number };
  map(data: unknown): Mapped;
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

function toMapping({ id, version, usesNow, run }: ActiveTransformation): ActiveMapping {
  const mapTimeless = usesNow ? (data: unknown) => run(data, always) : undefined;
  return { used: { id, version }, map: (data) => run(data), mapTimeless };
}
