import type { Logger } from "pino";
import type { Environment } from "../context.ts";
import type { MigrationProgress } from "../db/migrate.ts";

/** What `/readyz` says of a surface that is not up yet. */
export type StartStatus = {
  checks(environment: Environment): Record<string, string>;
  /** For the migrations of one surface: keeps what they are doing, and writes it to the log. */
  reporter(environment: Environment, log: Logger): (progress: MigrationProgress) => void;
};

export function createStartStatus(): StartStatus {
  const known = new Map<Environment, Record<string, string>>();
  return {
    checks: (environment) => known.get(environment) ?? { database: "starting" },
    reporter: (environment, log) => {
      const write = describeTo(log);
      return (progress) => {
        known.set(environment, checksOf(progress));
        write(progress);
      };
    },
  };
}

function checksOf(progress: MigrationProgress): Record<string, string> {
  if (progress.step === "waiting") return { database: "waiting_for_hubs_to_stop", hubs: progress.hubs.join("; ") };
  if (progress.step === "begin") return { database: "migrating", progress: `0 of ${progress.count}` };
  const { name, number, of, rows } = progress;
  const checks = { database: "migrating", migration: name, progress: `${number} of ${of}` };
  return rows === undefined ? checks : { ...checks, rows: String(rows) };
}

/** A batched migration reports each batch; that many lines help no reader. */
const linesEveryMs = 10_000;

/** One line before, and one for each migration of a database that has data. */
function describeTo(log: Logger): (progress: MigrationProgress) => void {
  let isNew = false;
  let last = { name: "", at: 0 };
  return (progress) => {
    if (progress.step === "waiting") {
      log.warn({ hubs: progress.hubs }, "the database has to be migrated; waiting for hubs at work on it to stop");
    } else if (progress.step === "begin") {
      isNew = progress.version === 0;
      const { count: migrations, rows } = progress;
      if (isNew) log.info({ migrations }, "creating the tables");
      else log.info({ migrations, rows }, "migrating the database; requests are answered 503 until that is done");
    } else {
      const { name, number, of, rows } = progress;
      const now = performance.now();
      if (name === last.name && now - last.at < linesEveryMs) return;
      last = { name, at: now };
      log[isNew ? "debug" : "info"](
        { migration: name, ...(rows === undefined ? {} : { rows }) },
        `migration ${number} of ${of}`,
      );
    }
  };
}
