import type { Answer, Input } from "@order-operations-hub/sdk/client";
import { queryOptions } from "@tanstack/react-query";
import { hub } from "../../live/hub.ts";

export type ImportPreset = Answer<"GET /api/v1/import-presets">["data"][number];
export type PresetSettings = Input<"POST /api/v1/import-presets">["body"]["settings"];
export type BuiltInPreset = Answer<"GET /api/v1/import-presets/built-in">["data"][number];

export const importPresetsQuery = queryOptions({
  queryKey: ["import-presets", "own"],
  queryFn: async ({ signal }): Promise<ImportPreset[]> =>
    (await hub.call("GET /api/v1/import-presets", { query: { kind: "orders", limit: 100 }, signal })).data,
});

export const invoicePresetsQuery = queryOptions({
  queryKey: ["import-presets", "invoices"],
  queryFn: async ({ signal }): Promise<ImportPreset[]> =>
    (await hub.call("GET /api/v1/import-presets", { query: { kind: "invoices", limit: 100 }, signal })).data,
});

/** Built-in presets for files of other programs. */
export const builtInPresetsQuery = queryOptions({
  queryKey: ["import-presets", "built-in"],
  queryFn: async ({ signal }): Promise<BuiltInPreset[]> =>
    (await hub.call("GET /api/v1/import-presets/built-in", { signal })).data,
  staleTime: Number.POSITIVE_INFINITY,
});
