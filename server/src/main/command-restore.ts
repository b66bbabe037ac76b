import path from "node:path";
import { parseArgs } from "node:util";
import { pino } from "pino";
import type { World } from "../context.ts";
import type { Secrets } from "../core/secrets.ts";
import { createSecrets } from "../core/secrets.ts";
import { requireSignature } from "../db/backup/backup-file.ts";
import type { Target } from "../db/backup/load-backup.ts";
import { loadBackup } from "../db/backup/load-backup.ts";
import type { CheckedBackup } from "../db/backup/read-backup.ts";
import { checkBackup } from "../db/backup/read-backup.ts";
import type { OutboundPause } from "../db/hub-state.ts";
import { recordOutboundPause } from "../features/outbound-pause/outbound-pause.ts";
import { verifyLogs } from "./command-verify-audit.ts";
import { describeSurface, requireFile } from "./command-backup.ts";
import type { Config } from "./config.ts";
import { ConfigError } from "./config.ts";
import { clearMark, hasMark, setMark } from "./data-dir-marks.ts";
import type { Databases } from "./databases.ts";
import { findKeyFile, secretKeyFile, writeKeyFile } from "./secret-key.ts";
import { openWorld } from "./world.ts";
import { withDatabases } from "./with-worlds.ts";

/** Restores into a new data directory, or into empty databases; existing data is never changed. */
export async function runRestore(config: Config, args: string[]): Promise<void> {
  const options = { "without-secret-key": { type: "boolean", default: false } } as const;
  const { positionals, values } = parseArgs({ args, allowPositionals: true, options });
  const backup = await checkBackup(requireFile(positionals, "restore"));
  const { manifest } = backup;
  const keys = await findKeys(config, backup, values["without-secret-key"]);
  const { dataDir } = config;
  const isEmbedded = config.databaseUrl === undefined;
  const mayReplace = isEmbedded && hasMark(dataDir, "restoring");
  await withDatabases(config, { mayShare: false, mayCreate: true, mayBeMarked: true }, async (databases) => {
    const pause = { reason: "restored", takenAt: manifest.takenAt, pausedAt: new Date().toISOString() };
    // Not earlier: the next restore replaces the content of a marked data directory.
    const whenEmpty = async (): Promise<void> => {
      if (isEmbedded) await setMark(dataDir, "restoring", notEnded(path.resolve(backup.file), dataDir));
    };
    // Before the commit: without the key the restored secrets could not be decrypted.
    const beforeCommit = async (): Promise<void> => {
      if (keys.fromFile !== undefined) await writeKeyFile(secretKeyFile(dataDir), keys.fromFile);
    };
    await loadInto(config, databases, { backup, mayReplace, keys, pause, whenEmpty, beforeCommit });
    if (isEmbedded) await clearMark(dataDir, "restoring");
  });
  console.log(closingWords(config, keys).join("\n"));
}

const notEnded = (file: string, dataDir: string): string =>
  `A restore of ${file} into ${dataDir} has not ended. Run "hub restore" again: it begins anew. Or delete the data directory.`;

export type Keys = {
  secrets: Secrets;
  /** The key from the file, if no other was given. */
  fromFile: string | undefined;
  missing: string[];
};

/** Called before anything is changed: without its key a restored hub would not start. */
async function findKeys(
  config: Config,
  { file, manifest, secretKey, signature }: CheckedBackup,
  mayLack: boolean,
): Promise<Keys> {
  const own = config.secretKey ?? (await findKeyFile(config.dataDir));
  const current = own ?? secretKey;
  const wanted = `the secret key ${manifest.keyIds.join(", ")}`;
  const advice = "Set HUB_SECRET_KEY to it, or name it in HUB_PREVIOUS_SECRET_KEYS.";
  if (current === undefined) {
    const lost = "If it is lost, add --without-secret-key: stored secrets are then lost as well.";
    if (!mayLack) throw new ConfigError(`${file} does not contain ${wanted}. ${advice} ${lost}`);
    throw new ConfigError("Set HUB_SECRET_KEY to a new secret key of at least 32 characters.");
  }
  const secrets = createSecrets(current, config.previousSecretKeys);
  if (own !== undefined) requireSignature(file, signature, secrets);
  const missing = manifest.keyIds.filter((keyId) => !secrets.keyIds.includes(keyId));
  if (missing.length > 0 && !mayLack) {
    const inFile =
      secretKey === undefined
        ? ""
        : ` Or leave HUB_SECRET_KEY and ${secretKeyFile(config.dataDir)} out: the key is in the file.`;
    throw new ConfigError(`${file} needs ${wanted}, and this hub has ${secrets.keyIds.join(", ")}. ${advice}${inFile}`);
  }
  return { secrets, fromFile: own === undefined ? secretKey : undefined, missing };
}

type LoadInto = {
  backup: CheckedBackup;
  mayReplace: boolean;
  keys: Keys;
  /** Undefined: the loaded hub may make outbound calls. */
  pause: OutboundPause | undefined;
  whenEmpty?: () => Promise<void>;
  beforeCommit?: () => Promise<void>;
};

/** Loads, compares, migrates and verifies the audit logs; prints what it did. */
export async function loadInto(
  config: Config,
  databases: Databases,
  { backup, mayReplace, keys, pause, whenEmpty, beforeCommit }: LoadInto,
): Promise<void> {
  const { surfaces } = backup.manifest;
  const targets: Target[] = [];
  for (const environment of databases.environments) {
    if (!surfaces.some((one) => one.environment === environment)) continue;
    targets.push({ environment, connection: await databases.reach(environment), mayReplace });
  }
  await loadBackup(backup, targets, { pause, whenEmpty, beforeCommit });
  const log = pino({ level: "warn" });
  for (const surface of surfaces) {
    const environment = databases.environments.find((one) => one === surface.environment);
    if (!environment) {
      console.log(`${surface.environment}: not restored, since this hub has no ${surface.environment} database`);
      continue;
    }
    console.log(
      `${environment}: ${describeSurface(surface)}; rows and checksum of every table are those of the backup`,
    );
    const { maxSignInFailures, outbound } = config;
    const { world, close } = await openWorld({
      environment,
      connection: await databases.reach(environment),
      maxConnections: 2,
      secrets: keys.secrets,
      log,
      settings: { maxSignInFailures, outbound },
      mayLackKeys: keys.missing.length > 0,
    });
    try {
      await verifyAndNote(world, pause !== undefined);
    } finally {
      await close();
    }
  }
}

async function verifyAndNote(world: World, isPaused: boolean): Promise<void> {
  if (isPaused) await recordOutboundPause(world);
  await verifyLogs(world);
}

function closingWords(config: Config, { fromFile, missing }: Keys): string[] {
  const keyFile = secretKeyFile(config.dataDir);
  return [
    "The hub can be started. Outbound work is paused: schedules, automations, tasks, webhooks, carriers and tracking.",
    "When the hub that was backed up is stopped for good, and this one takes its place: hub resume-outbound",
    ...(fromFile === undefined ? [] : [`The secret key of the backup is in ${keyFile}.`]),
    ...(fromFile !== undefined && config.databaseUrl !== undefined
      ? [`Start the hub with HUB_SECRET_KEY set to it.`]
      : []),
    ...(missing.length > 0
      ? [
          `The secret key ${missing.join(", ")} is missing: run "hub rewrap --discard-lost-keys", then give bridges and carriers their credentials again.`,
        ]
      : []),
  ];
}
