import type { LabelFile } from "../../carriers/seam/labels.ts";

/** `name`: for messages, such as "parcel 2". A document keeps the size of its pages. */
export type FileToPrint = LabelFile & { name: string; isDocument: boolean };

/** Joins label files. */
export type DocumentWriter = {
  /** Adds all files of a label or, if one of them cannot be used, none. */
  add(files: FileToPrint[]): Promise<{ code: string; reason: string } | undefined>;
  finish(): Promise<Uint8Array[]>;
};

/** Printers take ZPL labels one after the other. */
export function startZpl(): DocumentWriter {
  const labels: Uint8Array[] = [];
  const newline = Buffer.from("\n");
  return {
    async add(files) {
      for (const { content } of files) labels.push(content, newline);
      return undefined;
    },
    finish: () => Promise.resolve(labels),
  };
}
