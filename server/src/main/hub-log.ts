import type { Logger } from "pino";
import { pino } from "pino";
import type { Config } from "./config.ts";
import { isPretty, prettyLine } from "./pretty-log.ts";
import { sumUpLosses } from "./sum-up-losses.ts";

export function createHubLog(
  config: Pick<Config, "logLevel" | "logFormat">,
  /** In every line. */
  base?: { process: number },
): Logger {
  const timestamp = pino.stdTimeFunctions.isoTime;
  const settings = { level: config.logLevel, base, timestamp, hooks: { logMethod: sumUpLosses() } };
  if (!isPretty(config)) return pino(settings);
  return pino(settings, { write: (line) => void process.stdout.write(`${prettyLine(line)}\n`) });
}
