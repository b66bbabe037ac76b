import { styleText } from "node:util";
import type { Config } from "./config.ts";

/** For people where standard output is a terminal, JSON lines for everything else. */
export function isPretty({ logFormat }: Pick<Config, "logFormat">): boolean {
  return logFormat === "pretty" || (logFormat === "auto" && process.stdout.isTTY);
}

type Entry = {
  level: number;
  time: string;
  msg?: string;
  environment?: string;
  err?: { type?: string; message?: string; stack?: string };
  [field: string]: unknown;
};

const levels: Record<number, { name: string; style: "red" | "yellow" | "dim" }> = {
  60: { name: "FATAL ", style: "red" },
  50: { name: "ERROR ", style: "red" },
  40: { name: "warn  ", style: "yellow" },
  20: { name: "debug ", style: "dim" },
};

/** One line of the JSON log as a person reads it: time, level unless it is usual, what happened, and the rest as name=value. */
export function prettyLine(json: string): string {
  let entry: Entry;
  try {
    entry = JSON.parse(json) as Entry;
  } catch {
    return json.trimEnd();
  }
  const { level, time, msg = "", environment, err, ...fields } = entry;
  const { text, rest } = msg === "request" ? describeRequest(fields) : { text: msg, rest: fields };
  const kind = levels[level];
  const parts = [
    styled("dim", new Date(time).toTimeString().slice(0, 8)),
    `${kind ? styled(kind.style, kind.name) : ""}${environment === "preview" ? "preview: " : ""}${text}`,
    ...Object.entries(rest).map(([name, value]) => styled("dim", `${name}=${describeValue(value)}`)),
    ...(err ? [`(${err.message ?? err.type ?? "unknown error"})`] : []),
  ];
  // A fault of the hub itself: where it happened is what matters.
  const stack = err?.stack !== undefined && level >= 50 ? `\n${indented(err.stack)}` : "";
  return parts.join("  ") + stack;
}

function describeRequest({ method, route, status, durationMs, ...rest }: Record<string, unknown>) {
  const { requestId, orgId: _, ...more } = rest;
  const isFailure = Number(status) >= 400;
  return {
    text: `${String(method)} ${String(route)} ${String(status)} in ${String(durationMs)} ms`,
    rest: isFailure ? { requestId, ...more } : more,
  };
}

function describeValue(value: unknown): string {
  return typeof value === "string" && !/\s/.test(value) ? value : JSON.stringify(value);
}

const indented = (text: string): string => text.replaceAll(/^/gm, "    ");

/** Plain where colours are not wanted (NO_COLOR) or not possible. */
function styled(style: "red" | "yellow" | "dim" | "bold", text: string): string {
  return styleText(style, text, { stream: process.stdout });
}
