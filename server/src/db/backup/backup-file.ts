import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createReadStream, existsSync, rmSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { link, open, readdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import type { Readable } from "node:stream";
import { constants, createZstdCompress, createZstdDecompress } from "node:zlib";
import type { Secrets } from "../../core/secrets.ts";
import { isAlive } from "../postmaster.ts";

/*
 * A backup file is a line that identifies the format, one zstd stream of frames, and a line with the SHA-256 of everything before
 * it and an HMAC of that with the secret key. A frame is a letter, the length of its content in four bytes, and its content.
 */

/** K: secret key. T: start of a table. D: whole rows of it in COPY's format. E: end of the table. M: manifest, the last frame. */
type FrameType = "K" | "T" | "D" | "E" | "M";
export type Frame = { type: FrameType; content: Buffer };

/** The file cannot be used; the message has the reason for the operator. */
export class BackupRefused extends Error {}

const format = 1;
const firstLine = `order-operations-hub backup ${format}\n`;
const lastLine = /^\nsha256 ([0-9a-f]{64}) key ([0-9a-f]{8}) hmac ([0-9a-f]{64})\n$/;
const lastLineLength = 156;
const purpose = "backup";

export type BackupWriter = {
  file: string;
  write(type: FrameType, content: Buffer | string): Promise<void>;
  /** Syncs the file to disk and gives it its final name. Returns its size in bytes. */
  finish(secrets: Secrets): Promise<number>;
  abandon(): Promise<void>;
};

/** Writes under a temporary name in the same folder: a file with the given name is always complete. */
export async function createBackupFile(file: string): Promise<BackupWriter> {
  if (existsSync(file)) throw alreadyThere(file);
  await removeDrafts(file);
  const draft = `${file}.${process.pid}.part`;
  const handle = await open(draft, "wx", 0o600);
  const removeAtExit = (): void => rmSync(draft, { force: true });
  process.once("exit", removeAtExit);
  const sum = createHash("sha256");
  const zstd = createZstdCompress({
    params: { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 },
  });
  let size = 0;
  const put = async (bytes: Buffer): Promise<void> => {
    sum.update(bytes);
    size += bytes.length;
    await handle.appendFile(bytes);
  };
  await put(Buffer.from(firstLine));
  const pumping = (async () => {
    for await (const chunk of zstd) await put(chunk as Buffer);
  })();
  pumping.catch(() => {});
  const broken = pumping.then(() => new Promise<never>(() => {}));
  broken.catch(() => {});

  return {
    file,
    async write(type, content) {
      const hasRoom = zstd.write(frameOf(type, content));
      if (!hasRoom) await Promise.race([once(zstd, "drain"), broken]);
    },
    async finish(secrets) {
      zstd.end();
      await pumping;
      const digest = sum.digest("hex");
      await handle.appendFile(
        `\nsha256 ${digest} key ${secrets.keyId} hmac ${macOf(secrets.derive(purpose), digest)}\n`,
      );
      await handle.sync();
      await handle.close();
      await giveName(draft, file);
      process.removeListener("exit", removeAtExit);
      return size + lastLineLength;
    },
    async abandon() {
      zstd.destroy();
      await pumping.catch(() => {});
      await handle.close().catch(() => {});
      await rm(draft, { force: true });
      process.removeListener("exit", removeAtExit);
    },
  };
}

const alreadyThere = (file: string): BackupRefused =>
  new BackupRefused(`${file} exists already. Name a file that does not; backups are never overwritten.`);

function frameOf(type: FrameType, content: Buffer | string): Buffer {
  const length = Buffer.byteLength(content);
  const frame = Buffer.allocUnsafe(5 + length);
  frame.write(type, 0, "latin1");
  frame.writeUInt32BE(length, 1);
  if (typeof content === "string") frame.write(content, 5);
  else content.copy(frame, 5);
  return frame;
}

const macOf = (key: Buffer, digest: string): string => createHmac("sha256", key).update(digest).digest("hex");

/** A link, unlike a rename, does not replace a file that another process has created meanwhile. */
async function giveName(draft: string, file: string): Promise<void> {
  try {
    await link(draft, file);
    await rm(draft);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" || existsSync(file)) throw alreadyThere(file);
    // Some file systems do not support links.
    await rename(draft, file);
  }
  const folder = await open(path.dirname(path.resolve(file)));
  await folder.sync();
  await folder.close();
}

/** Removes temporary files of killed commands. */
async function removeDrafts(file: string): Promise<void> {
  const folder = path.dirname(path.resolve(file));
  const prefix = `${path.basename(file)}.`;
  for (const name of await readdir(folder)) {
    const pid = Number(/^(\d+)\.part$/.exec(name.startsWith(prefix) ? name.slice(prefix.length) : "")?.[1]);
    if (pid > 0 && (pid === process.pid || !isAlive(pid))) await rm(path.join(folder, name), { force: true });
  }
}

export type Signature = { keyId: string; isSignedWith(key: { keyId: string; bytes: Buffer }): boolean };

/** Reads the whole file. Rejects a file that is no backup, truncated or altered. */
export async function checkWholeness(file: string): Promise<Signature> {
  const handle = await openForReading(file);
  try {
    const { size } = await handle.stat();
    const first = await readPart(handle, 0, Math.min(size, firstLine.length));
    const [, found] = /^order-operations-hub backup (\d+)\n/.exec(first.toString("latin1")) ?? [];
    if (found === undefined) throw new BackupRefused(`${file} is not a backup of this hub.`);
    if (Number(found) !== format) {
      throw new BackupRefused(
        `${file} has the backup format ${found}; this hub reads format ${format}. Upgrade the hub.`,
      );
    }
    const last = await readPart(handle, Math.max(0, size - lastLineLength), lastLineLength);
    const [, digest, keyId, hmac] = lastLine.exec(last.toString("latin1")) ?? [];
    if (digest === undefined || keyId === undefined || hmac === undefined) {
      throw new BackupRefused(`${file} is cut short, or something was added to it: it does not end as a backup does.`);
    }
    const sum = createHash("sha256");
    for await (const chunk of createReadStream(file, { end: size - lastLineLength - 1 })) sum.update(chunk as Buffer);
    if (sum.digest("hex") !== digest) {
      throw new BackupRefused(`${file} was altered: its content does not match its checksum.`);
    }
    const given = Buffer.from(hmac, "hex");
    const isSignedWith: Signature["isSignedWith"] = (key) =>
      timingSafeEqual(Buffer.from(macOf(key.bytes, digest), "hex"), given);
    return { keyId, isSignedWith };
  } finally {
    await handle.close();
  }
}

/** With a key from outside of the file, an altered file is detected even if its checksum was recomputed. */
export function requireSignature(file: string, signature: Signature, secrets: Secrets): void {
  const key = secrets.deriveAll(purpose).find(({ keyId }) => keyId === signature.keyId);
  if (key && !signature.isSignedWith(key)) {
    throw new BackupRefused(`${file} was altered: it was not signed with the secret key ${signature.keyId}.`);
  }
}

async function openForReading(file: string): Promise<FileHandle> {
  try {
    return await open(file);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new BackupRefused(code === "ENOENT" ? `There is no file ${file}.` : `${file} cannot be read: ${message}`);
  }
}

async function readPart(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

const frameTypes = new Set<string>(["K", "T", "D", "E", "M"]);

/** Keeps one frame in memory at a time. Call `checkWholeness` first. */
export async function* readFrames(file: string): AsyncGenerator<Frame> {
  const handle = await openForReading(file);
  const { size } = await handle.stat();
  await handle.close();
  const source = createReadStream(file, { start: firstLine.length, end: size - lastLineLength - 1 });
  const plain = source.compose(createZstdDecompress()) as Readable;
  let parts: Buffer[] = [];
  let held = 0;
  let needed = 5;
  const damaged = (): BackupRefused => new BackupRefused(`${file} is damaged: its content cannot be read.`);
  try {
    for await (const chunk of plain) {
      parts.push(chunk as Buffer);
      held += (chunk as Buffer).length;
      while (held >= needed) {
        const all = parts.length === 1 ? parts[0]! : Buffer.concat(parts);
        const length = all.readUInt32BE(1);
        const type = all.toString("latin1", 0, 1);
        if (!frameTypes.has(type)) throw damaged();
        needed = 5 + length;
        parts = [all];
        if (held < needed) break;
        yield { type: type as FrameType, content: all.subarray(5, needed) };
        parts = [all.subarray(needed)];
        held -= needed;
        needed = 5;
      }
    }
  } catch (error) {
    // Errors of the code that reads the frames arrive here as well; they are not about the file.
    throw (error as NodeJS.ErrnoException).code?.startsWith("ZSTD_") ? damaged() : error;
  }
  if (held > 0) throw damaged();
}
