import type { LeasedRow } from "./leases.ts";
import type { Loop } from "./loop.ts";
import { startLoop } from "./loop.ts";
import type { WorkKind, WorkerContext } from "./work-kind.ts";

export class Superseded extends Error {
  override readonly name = "Superseded";
}

/** A row that this worker processes. `isEnding`: only its outcome remains to be written. */
export type Running<Row> = { row: Row; owner: string; stop: AbortController; freshUntil: number; isEnding: boolean };

export const freshMsOf = ({ leaseMs }: { leaseMs: number }): number => (leaseMs * 2) / 3;

/** Renews the leases of all running rows. A row whose lease was lost was taken over or ended, so its processing is aborted. */
export function keepLeases<W extends WorkerContext, Row extends LeasedRow>(
  world: W,
  { name, leases }: WorkKind<W, Row>,
  running: ReadonlyMap<string, Running<Row>>,
  onFailure: () => void,
): Loop {
  return startLoop({
    intervalMs: leases.leaseMs / 3,
    async pass() {
      const held = [...running.values()];
      if (held.length === 0) return;
      const renewedAt = performance.now();
      const asked = held.map(({ row, owner }) => ({ id: row.id, owner }));
      const kept = new Set(await leases.renewAcrossOrgs(world.db, asked));
      for (const one of held) {
        if (kept.has(one.row.id)) one.freshUntil = renewedAt + freshMsOf(leases);
        else one.stop.abort(new Superseded(`${name}: another worker has taken over, or it was cancelled`));
      }
    },
    onError(error) {
      onFailure();
      world.log.warn({ err: error, work: name }, "renewing leases failed; it will be retried");
    },
  });
}
