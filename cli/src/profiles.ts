import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { configFile } from "./environment.ts";
import { CliError, exitCodes } from "./exit.ts";

/** A stored sign-in. */
export type Profile = {
  url: string;
  apiKey: string;
  /** Of the key, so that a later sign-in can delete it. Unknown for keys that were pasted. */
  keyId?: string;
  /** Null: it does not expire. */
  expiresAt?: string | null;
};

type Stored = {
  /** Used without --profile. */
  current?: string;
  profiles: Record<string, Profile>;
  /** Signing secrets of `hub listen`, by the address of the hub: they outlive the keys. */
  listenSecrets: Record<string, string>;
};

export function readProfiles(): Stored {
  const file = configFile();
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return { profiles: {}, listenSecrets: {} };
    throw new CliError(exitCodes.failed, `${file} cannot be read: ${(error as Error).message}`);
  }
  try {
    const stored = JSON.parse(text) as Partial<Stored>;
    return { ...stored, profiles: stored.profiles ?? {}, listenSecrets: stored.listenSecrets ?? {} };
  } catch {
    throw new CliError(exitCodes.failed, `${file} is not JSON. Delete it and sign in again with hub login.`);
  }
}

/** Replaces the file at once, so that a second command never reads half of it. Only the user may read it. */
function writeProfiles(stored: Stored): void {
  const file = configFile();
  const temporary = `${file}.${process.pid}`;
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(temporary, `${JSON.stringify(stored, undefined, 2)}\n`, { mode: 0o600 });
  // The mode above is ignored for a file that exists.
  chmodSync(temporary, 0o600);
  renameSync(temporary, file);
}

export function saveProfile(name: string, profile: Profile): void {
  const stored = readProfiles();
  writeProfiles({ ...stored, current: name, profiles: { ...stored.profiles, [name]: profile } });
}

export function removeProfile(name: string): void {
  const { current, ...stored } = readProfiles();
  const { [name]: _, ...profiles } = stored.profiles;
  const next = current === name ? Object.keys(profiles)[0] : current;
  writeProfiles({ ...stored, profiles, ...(next === undefined ? {} : { current: next }) });
}

/** The secret with which `hub listen` signs: the same each time, so that a receiver can be configured once. */
export function listenSecretOf(url: string): string {
  const stored = readProfiles();
  const known = stored.listenSecrets[url];
  if (known !== undefined) return known;
  const secret = `whsec_${randomBytes(32).toString("base64")}`;
  writeProfiles({ ...stored, listenSecrets: { ...stored.listenSecrets, [url]: secret } });
  return secret;
}
