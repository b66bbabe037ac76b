import type { Answer, Input } from "@order-operations-hub/sdk/client";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { hub } from "../../live/hub.ts";

export type ImportAnswer = Answer<"POST /api/v1/orders/import">;
export type ImportWarning = ImportAnswer["warnings"][number];
/** A message of the progress stream. */
export type ImportProgress = { rows: number };
type ImportOptions = NonNullable<Input<"POST /api/v1/orders/import">["query"]>;

export type ColumnMapping = Record<string, string | null>;

/** How the file is read. The hub detects what is left out. */
export type Reading = Pick<
  ImportOptions,
  "preset" | "delimiter" | "decimalSeparator" | "dateOrder" | "country" | "currency" | "onExisting" | "strict"
> & { mapping: ColumnMapping; encoding?: string };

/** Raw bytes: the hub detects format and encoding. */
export type ChosenFile = { id: string; name: string; bytes: ArrayBuffer };

type Sending = { dryRun: boolean; watchId: string; signal?: AbortSignal };

export function sendFile({ bytes }: ChosenFile, reading: Reading, { dryRun, watchId, signal }: Sending) {
  const { mapping, encoding, ...options } = reading;
  return hub.upload("POST /api/v1/orders/import", {
    query: {
      ...options,
      ...(Object.keys(mapping).length > 0 ? { mapping: JSON.stringify(mapping) } : {}),
      dryRun,
      watchId,
    },
    file: new Blob([bytes], { type: encoding ? `text/csv; charset=${encoding}` : "text/csv" }),
    ...(signal ? { signal } : {}),
  });
}

/** Dry run of an import. */
export const fileQuery = (file: ChosenFile, reading: Reading, watchId: string) =>
  queryOptions({
    queryKey: ["order-import", file.id, reading],
    queryFn: ({ signal }): Promise<ImportAnswer> => sendFile(file, reading, { dryRun: true, watchId, signal }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: false,
  });
