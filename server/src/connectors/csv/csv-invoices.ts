import path from "node:path";
import { readingOptions } from "../../core/csv/import-shapes.ts";
import { RemoteError } from "../../core/remote-error.ts";
import { optional, Strict } from "../../core/schema.ts";
import { Type } from "../../core/type.ts";
import type { Call, CallTask } from "../connector.ts";
import { archiveFile, listFiles, openFolder } from "./csv-folder.ts";
import type { OpenedFile } from "./file-reader.ts";
import { createFileReader } from "./file-reader.ts";

/** As in requests: files of carriers have 250 columns. */
const maxBytes = 128 * 1024 * 1024;
const maxShown = 100;

/**
 * Files are independent: one that is refused does not stop the others. A process that dies between the import of a file and its
 * move imports it again, which changes nothing.
 */
async function importFolder(call: Call): Promise<Record<string, unknown>> {
  const { settings, input: options, hub } = call;
  if (!hub) throw new RemoteError("not_available", "This task runs only as an execution.");
  const name = settings.invoiceFolder;
  if (typeof name !== "string") throw new RemoteError("nothing_to_read", "Set the invoice folder of the bridge.");
  const folder = await openFolder(call, name);
  const files = await listFiles(folder);
  const { encoding } = settings as Pick<OpenedFile, "encoding">;
  const counts = { files: files.length, created: 0, unchanged: 0, failed: 0 };
  const invoices: unknown[] = [];
  const failures: unknown[] = [];
  const reader = createFileReader(call.signal);
  try {
    for (const [index, file] of files.entries()) {
      call.signal.throwIfAborted();
      const opened = { file: path.join(folder, file.name), encoding, maxBytes };
      const open = async (read: Pick<OpenedFile, "delimiter" | "maxRows">) => await reader.open({ ...opened, ...read });
      const outcome = await hub.importInvoices({ name: file.name, open, options });
      if ("refused" in outcome) {
        counts.failed++;
        failures.push({ externalId: file.name, ...outcome.refused });
        call.log("error", `${file.name}: ${outcome.refused.message}`);
      } else {
        for (const invoice of outcome.invoices) counts[invoice.status]++;
        invoices.push(...outcome.invoices.map((invoice) => ({ file: file.name, ...invoice })));
        call.log("info", `${file.name}: ${outcome.invoices.length} invoices`);
      }
      await archiveFile(folder, file, "refused" in outcome ? "failed" : "processed");
      call.progress(index + 1, files.length);
    }
  } finally {
    reader.stop();
  }
  return { ...counts, invoices: invoices.slice(0, maxShown), failures: failures.slice(0, maxShown) };
}

const { delimiter, decimalSeparator, dateOrder, currency } = readingOptions;

export const invoicesImport: CallTask = {
  name: "invoices.import",
  title: "Import invoices",
  description:
    "Imports the invoices of carriers from the files of the invoice folder, oldest first, as `POST /invoices/import` does. A file that " +
    "was imported, or had been before, is moved to `processed`, one that was refused to `failed`, with an exception.",
  mode: "call",
  input: Strict(
    {
      ...optional({
        preset: Type.String({
          title: "Import preset",
          minLength: 1,
          maxLength: 100,
          description: "Name or ID of an import preset for invoices, for files of an unknown shape",
        }),
        carrier: Type.String({
          title: "Carrier",
          minLength: 1,
          maxLength: 100,
          description: "Who sent the invoices, for files that are read with a preset",
        }),
        carrierAccountId: Type.String({
          title: "Carrier account",
          format: "uuid",
          description:
            "ID of the account whose rate cards are the contract of the audit. Default: that of the last audit of the same carrier and billed account",
        }),
      }),
      delimiter,
      decimalSeparator,
      dateOrder,
      currency,
    },
    { examples: [{ preset: "Regional Parcel", carrier: "Regional Parcel" }] },
  ),
  output: Type.Object({}, { description: "Counts, and the first 100 invoices and failures" }),
  requiredScope: "invoices:write",
  idempotent: true,
  countsFailed: true,
  timeoutMs: 60 * 60_000,
  run: importFolder,
};
