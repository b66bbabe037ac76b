import { randomUUID } from "node:crypto";
import type { StandIn } from "./stand-in-api.ts";

/** Records of one kind, such as shipments. Each change is a line of the journal, so that a stand-in that was killed goes on with them. */
export type RecordTable<Row extends { id: string }> = {
  /** `kind`: what happened, such as buy or void; `facts`: what tests want to read in the journal beside the record. */
  save(standIn: StandIn, kind: string, row: Row, facts?: Record<string, unknown>): Row;
  remove(standIn: StandIn, kind: string, id: string): void;
  find(id: string): Row | undefined;
  /** Newest first. Only what is returned is copied, so that long journals stay fast. */
  list(isWanted?: (row: Row) => boolean): Row[];
  newest(isWanted: (row: Row) => boolean): Row | undefined;
  /** Reads what an earlier process has written. */
  restore(standIn: StandIn): void;
};

export function recordTable<Row extends { id: string }>(table: string): RecordTable<Row> {
  const rows = new Map<string, Row>();
  return {
    save(standIn, kind, row, facts = {}) {
      const kept = structuredClone(row);
      standIn.record({ kind, ...facts, table, row: kept });
      rows.set(row.id, kept);
      return structuredClone(kept);
    },
    remove(standIn, kind, id) {
      standIn.record({ kind, table, removed: id });
      rows.delete(id);
    },
    find: (id) => structuredClone(rows.get(id)),
    list: (isWanted = () => true) => structuredClone([...rows.values()].toReversed().filter(isWanted)),
    newest: (isWanted) => structuredClone([...rows.values()].findLast(isWanted)),
    restore(standIn) {
      for (const entry of standIn.journal()) {
        if (entry.table !== table) continue;
        if (typeof entry.removed === "string") rows.delete(entry.removed);
        else rows.set((entry.row as Row).id, entry.row as Row);
      }
    },
  };
}

/** "shp_" and 32 hexadecimal digits. */
export function newId(prefix: string): string {
  return `${prefix}${randomUUID().replaceAll("-", "")}`;
}

/** Digits that differ between any two calls, also of a stand-in that was started again. */
export function newDigits(count: number): string {
  return BigInt(`0x${randomUUID().replaceAll("-", "")}`)
    .toString()
    .padStart(count, "0")
    .slice(-count);
}
