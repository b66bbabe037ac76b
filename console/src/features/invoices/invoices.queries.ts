import type { Invoice } from "@order-operations-hub/sdk/api-types";
import type { Answer, Input } from "@order-operations-hub/sdk/client";
import { HubApiError } from "@order-operations-hub/sdk/problem";
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { hub } from "../../live/hub.ts";

export type InvoiceFilter = Omit<NonNullable<Input<"GET /api/v1/invoices">["query"]>, "page" | "limit">;
export type LineFilter = Omit<NonNullable<Input<"GET /api/v1/invoices/{id}/lines">["query"]>, "page" | "limit">;
export type InvoiceTotals = Answer<"GET /api/v1/invoices/{id}/totals">;
export type ParcelCharges = Answer<"GET /api/v1/invoices/charges">;

export const invoicesQuery = (filter: InvoiceFilter, page: number) =>
  queryOptions({
    queryKey: ["invoices", "list", filter, page],
    queryFn: ({ signal }) => hub.call("GET /api/v1/invoices", { query: { ...filter, page, limit: 50 }, signal }),
    placeholderData: keepPreviousData,
  });

export const invoiceQuery = (id: string) =>
  queryOptions({
    queryKey: ["invoices", "one", id],
    queryFn: ({ signal }): Promise<Invoice> => hub.call("GET /api/v1/invoices/{id}", { path: { id }, signal }),
  });

/** Invoices do not change after the import. */
export const invoiceTotalsQuery = (id: string) =>
  queryOptions({
    queryKey: ["invoices", "totals", id],
    queryFn: ({ signal }): Promise<InvoiceTotals> =>
      hub.call("GET /api/v1/invoices/{id}/totals", { path: { id }, signal }),
    staleTime: 300_000,
  });

export const invoiceLinesQuery = (id: string, filter: LineFilter, page: number) =>
  queryOptions({
    queryKey: ["invoices", "lines", id, filter, page],
    queryFn: ({ signal }) =>
      hub.call("GET /api/v1/invoices/{id}/lines", { path: { id }, query: { ...filter, page, limit: 50 }, signal }),
    placeholderData: keepPreviousData,
  });

export const parcelQuery = (trackingNumber: string) =>
  queryOptions({
    queryKey: ["invoices", "parcel", trackingNumber],
    queryFn: ({ signal }): Promise<ParcelCharges> =>
      hub.call("GET /api/v1/invoices/charges", { query: { trackingNumber }, signal }),
  });

const minute = 60_000;

/** The exception that the import opened. Exceptions cannot be filtered by invoice, so those of that hour are read. */
export const differenceQuery = ({ id, createdAt }: Pick<Invoice, "id" | "createdAt">) =>
  queryOptions({
    queryKey: ["invoices", "difference", id],
    queryFn: async ({ signal }) => {
      const at = Date.parse(createdAt);
      const query = {
        kind: "invoice",
        status: "open,resolved,dismissed",
        from: new Date(at - minute).toISOString(),
        to: new Date(at + 60 * minute).toISOString(),
        limit: 100,
      } as const;
      const { data } = await hub.call("GET /api/v1/exceptions", { query, signal });
      const found = data.find(({ subject }) => subject.id === id);
      if (!found) return null;
      const exception = await hub.call("GET /api/v1/exceptions/{id}", { path: { id: found.id }, signal });
      return { id: exception.id, status: exception.status, rows: rowsIn(exception.details["errors"]) };
    },
  });

export type DoubtfulRow = { row: number; message: string };

function rowsIn(errors: unknown): DoubtfulRow[] {
  if (!Array.isArray(errors)) return [];
  return errors.flatMap((error: { row?: unknown; message?: unknown }) =>
    typeof error.row === "number" && typeof error.message === "string"
      ? [{ row: error.row, message: error.message }]
      : [],
  );
}

export type ImportAnswer = Answer<"POST /api/v1/invoices/import">;
type ImportOptions = NonNullable<Input<"POST /api/v1/invoices/import">["query"]>;
type ColumnMapping = Record<string, string | null>;

/** How the file is read. The hub detects what is left out; empty texts count as left out. */
export type Reading = Pick<
  ImportOptions,
  "carrier" | "number" | "currency" | "delimiter" | "decimalSeparator" | "dateOrder" | "carrierAccountId"
> & { mapping: ColumnMapping };

/** Raw bytes: the hub detects format and encoding. */
export type ChosenFile = { name: string; bytes: ArrayBuffer };

export function sendInvoices({ bytes }: ChosenFile, { mapping, ...options }: Reading): Promise<ImportAnswer> {
  const given = Object.entries(options).filter(([, value]) => value !== undefined && value.trim() !== "");
  return hub.upload("POST /api/v1/invoices/import", {
    query: {
      ...Object.fromEntries(given),
      ...(Object.keys(mapping).length > 0 ? { mapping: JSON.stringify(mapping) } : {}),
    },
    file: new Blob([bytes], { type: "text/csv" }),
  });
}

/** The columns of a file that is not recognised, with the field that each name suggests. */
export type FileShape = {
  columns: Array<{ column: string; field: string | null }>;
  fields: string[];
  sample: string[][];
};

export function shapeIn(error: unknown): FileShape | undefined {
  if (!(error instanceof HubApiError)) return undefined;
  const { columns, fields, sample } = error.problem as Partial<FileShape>;
  return columns && fields && sample ? { columns, fields, sample } : undefined;
}

/** A stored invoice with the same number and other lines. */
export type Differing = {
  invoiceId: string;
  numbers: string[];
  differs: Array<{ trackingNumber: string | null; stored: number | null; sent: number | null }>;
};

export function differingIn(error: unknown): Differing | undefined {
  if (!(error instanceof HubApiError) || error.code !== "invoice_differs") return undefined;
  const { invoiceId, numbers = [], differs = [] } = error.problem as Partial<Differing>;
  return invoiceId === undefined ? undefined : { invoiceId, numbers, differs };
}
