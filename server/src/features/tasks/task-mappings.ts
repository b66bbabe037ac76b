import type { World } from "../../context.ts";
import type { Queryable } from "../../db/database.ts";

export type Mapped = { ok: true; output: Record<string, unknown> } | { ok: false; errors: unknown[] };

export type ActiveMapping = { used: { id: string; version: number }; map(data: unknown): Mapped };

/** The active transformations of one task on one bridge. */
export type ActiveMappings = { outbound?: ActiveMapping; inbound?: ActiveMapping };

export async function loadMappings(
  _world: World,
  _db: Queryable,
  _task: { orgId: string; bridgeId: string; taskName: string },
): Promise<ActiveMappings> {
  return {};
}
