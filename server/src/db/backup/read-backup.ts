import type { Frame } from "./backup-file.ts";
import { BackupRefused, checkWholeness, readFrames } from "./backup-file.ts";
import type { Signature } from "./backup-file.ts";
import type { Manifest, TableManifest, TableName } from "./backup-manifest.ts";
import type { TableDigest } from "./row-digest.ts";
import { createRowDigest } from "./row-digest.ts";

export type CheckedBackup = { file: string; manifest: Manifest; secretKey: string | undefined; signature: Signature };

/**
 * Reads the whole file and keeps only its manifest. The checksum of the file, every frame, and the rows and checksum of every table
 * must be right. A returned backup can be loaded.
 */
export async function checkBackup(file: string): Promise<CheckedBackup> {
  const signature = await checkWholeness(file);
  let secretKey: string | undefined;
  let manifest: Manifest | undefined;
  const read: TableManifest[] = [];
  const frames = readFrames(file);
  for (let frame = await nextOf(frames); frame; frame = await nextOf(frames)) {
    if (frame.type === "K") secretKey = frame.content.toString();
    else if (frame.type === "M") manifest = parse(frame) as Manifest;
    else if (frame.type === "T") read.push(await checkTable(file, parse(frame) as TableName, frames));
    else throw unreadable(file);
  }
  const written = manifest?.surfaces.flatMap(({ tables }) => tables);
  if (!manifest || JSON.stringify(written) !== JSON.stringify(read)) throw unreadable(file);
  return { file, manifest, secretKey, signature };
}

/** The rows of the table whose start frame was just read. Returns the expected digest from its end frame. */
export async function* rowsOf(frames: AsyncGenerator<Frame>): AsyncGenerator<Buffer, TableDigest | undefined> {
  for (let frame = await nextOf(frames); frame; frame = await nextOf(frames)) {
    if (frame.type === "E") return parse(frame) as TableDigest;
    if (frame.type !== "D") return undefined;
    yield frame.content;
  }
  return undefined;
}

export async function nextOf(frames: AsyncGenerator<Frame>): Promise<Frame | undefined> {
  const { value, done } = await frames.next();
  return done ? undefined : value;
}

export function parse({ content }: Frame): unknown {
  return JSON.parse(content.toString());
}

async function checkTable(file: string, name: TableName, frames: AsyncGenerator<Frame>): Promise<TableManifest> {
  const digest = createRowDigest();
  const rows = rowsOf(frames);
  for (;;) {
    const { value, done } = await rows.next();
    if (!done) digest.addAll(value);
    else if (value?.digest === digest.end().digest && value.rows === digest.end().rows) return { ...name, ...value };
    else throw unreadable(file);
  }
}

const unreadable = (file: string): BackupRefused =>
  new BackupRefused(`${file} is damaged: what is in it does not match its own list.`);
