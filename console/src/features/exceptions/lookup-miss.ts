import type { Transformation } from "@order-operations-hub/sdk/api-types";
import { useQuery } from "@tanstack/react-query";
import { missingScope, useMe } from "../../live/me.ts";
import { valueAt, withValueAt } from "../../ui/json-pointer.ts";
import { activeMappingQuery } from "../transformations/transformations.queries.ts";
import type { Exception } from "./exceptions.queries.ts";

type Data = Record<string, unknown>;
const isData = (value: unknown): value is Data => typeof value === "object" && value !== null && !Array.isArray(value);

/** A value of a record that the table of a mapping has no entry for. */
export type LookupMiss = {
  value: string;
  /** Target of the row: "status". */
  target: string;
  /** Pointer to the row in the mapping. */
  row: string;
  /** Pointer to the table in the mapping. */
  table: string;
  entries: Data;
  /** Pointer to the value in the record as received, if the row reads a plain path. */
  source: string | undefined;
};

/** The mapping that is applied to the record, if the exception is about a mapped record. */
export function useMappingOf({ kind, bridgeId, taskName }: Exception): Transformation | undefined {
  const canRead = missingScope(useMe(), "transformations:read") === undefined;
  const { data } = useQuery({
    ...activeMappingQuery(bridgeId ?? "", taskName ?? ""),
    enabled: canRead && kind === "rejected_record" && bridgeId !== null && taskName !== null,
  });
  return data ?? undefined;
}

/** Values of the record that have no entry. The mapping may have changed since: what it knows by now is left out. */
export function lookupMisses({ details }: Exception, mapping: Transformation | undefined): LookupMiss[] {
  const errors = Array.isArray(details["errors"]) ? (details["errors"] as unknown[]).filter(isData) : [];
  return errors.flatMap((error): LookupMiss[] => {
    const { code, value, target, path } = error;
    if (code !== "lookup_missed" || typeof value !== "string" || typeof path !== "string" || !mapping) return [];
    const row = valueAt(mapping, path);
    const transforms = isData(row) && Array.isArray(row["transforms"]) ? (row["transforms"] as unknown[]) : [];
    const at = transforms.findIndex((step) => isData(step) && isData(step["lookup"]));
    const step = transforms[at];
    if (!isData(row) || !isData(step) || !isData(step["lookup"])) return [];
    const isLong = isData(step["lookup"]["map"]);
    const entries = (isLong ? step["lookup"]["map"] : step["lookup"]) as Data;
    const table = `${path}/transforms/${at}/lookup${isLong ? "/map" : ""}`;
    const source = path.split("/").length === 3 ? sourcePointer(row["source"]) : undefined;
    return [{ value, target: String(target), row: path, table, entries, source }];
  });
}

/** "/a/b" for $.a.b; other paths have no single place in the record. */
function sourcePointer(source: unknown): string | undefined {
  const plain = typeof source === "string" ? /^(?:\$\.)?(\w+(?:\.\w+)*)$/.exec(source)?.[1] : undefined;
  return plain === undefined ? undefined : `/${plain.replaceAll(".", "/")}`;
}

/** The rows with another entry in the table. */
export function withEntry(mapping: Transformation, { table, entries, value }: LookupMiss, to: unknown): Data[] {
  const changed = withValueAt(mapping, table, { ...entries, [value]: to }) as Transformation;
  return changed.mappings;
}
