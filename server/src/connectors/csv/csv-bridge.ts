import { Type } from "../../core/type.ts";
import type { FieldError } from "../../core/errors.ts";
import { encodings } from "../../core/csv/decode-text.ts";
import { OneOf, Strict } from "../../core/schema.ts";
import type { Connector, Limits, Settings } from "../connector.ts";
import { connectionTest } from "../standard-tasks.ts";
import { listFiles, openFolder } from "./csv-folder.ts";
import { invoicesImport } from "./csv-invoices.ts";
import { ordersExport, ordersImport, sheetSettings } from "./csv-orders.ts";

const folders = ["importFolder", "exportFolder", "invoiceFolder"] as const;

const Folder = (title: string, description: string, example: string) =>
  Type.Optional(
    Type.String({
      title,
      minLength: 1,
      maxLength: 300,
      pattern: "^[^/\\\\\\u0000][^\\\\\\u0000]*$",
      description,
      examples: [example],
    }),
  );

const test = connectionTest(async (call) => {
  const found: Record<string, unknown> = {};
  for (const name of folders) {
    const folder = call.settings[name];
    if (typeof folder === "string") found[name] = { files: (await listFiles(await openFolder(call, folder))).length };
  }
  return found;
});

function folderProblems(settings: Settings, { filesRoot }: Limits): FieldError[] {
  return folders.flatMap((name) => {
    const folder = settings[name];
    if (typeof folder !== "string") return [];
    if (name === "invoiceFolder" && settings.importFolder === folder) {
      const message = "Orders and invoices need folders of their own: each task would reject the files of the other.";
      return [{ pointer: "/invoiceFolder", code: "same_folder", message }];
    }
    const fail = (code: string, message: string): FieldError[] => [{ pointer: `/${name}`, code, message }];
    if (filesRoot === undefined) {
      return fail("files_disabled", "File access is disabled on this hub; send the text in `csv`.");
    }
    if (!folder.split("/").includes("..")) return [];
    return fail("outside_files_dir", "The folder must be below the files folder of the hub.");
  });
}

export const csv: Connector = {
  name: "csv",
  title: "CSV files",
  description:
    "Orders from CSV text, or from files in a folder of the hub, and invoices of carriers from another folder.",
  settings: Strict(
    {
      importFolder: Folder(
        "Import folder",
        "Below the files folder of the organization; files in it are imported and moved to its subfolder `processed`",
        "shop-a/incoming",
      ),
      exportFolder: Folder(
        "Export folder",
        "Below the files folder of the organization; each order is written to a file",
        "shop-a/outgoing",
      ),
      invoiceFolder: Folder(
        "Invoice folder",
        "Below the files folder of the organization; invoices of carriers in it are imported and moved to its subfolder `processed`",
        "carriers/invoices",
      ),
      ...sheetSettings,
      encoding: Type.Optional(OneOf(encodings, { title: "Encoding", description: "Of the files; default: detected" })),
    },
    { examples: [{ importFolder: "shop-a/incoming", delimiter: "semicolon" }] },
  ),
  credentials: Strict({}),
  check: folderProblems,
  tasks: () => [test, ordersImport, ordersExport, invoicesImport],
  // Two concurrent imports would read the same files.
  concurrency: 1,
  isOffline: true,
};
