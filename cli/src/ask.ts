import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import type { Given } from "./command.ts";
import type { Connection } from "./connection.ts";
import { CliError, exitCodes, usageError } from "./exit.ts";

export function isInteractive(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** Questions go to stderr: stdout is for data. */
export async function ask(question: string, { isSecret = false } = {}): Promise<string> {
  process.stderr.write(question);
  // What is typed is echoed by readline; nothing is shown of a secret.
  const hidden = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output: isSecret ? hidden : process.stderr, terminal: true });
  const interrupted = new AbortController();
  reader.on("SIGINT", () => interrupted.abort());
  try {
    return (await reader.question("", { signal: interrupted.signal })).trim();
  } catch {
    throw new CliError(exitCodes.interrupted, "interrupted.");
  } finally {
    reader.close();
    if (isSecret) process.stderr.write("\n");
  }
}

/** Everything on stdin, such as a key or a body. */
export async function readInput(): Promise<string> {
  return await text(process.stdin);
}

/** Asks before a change on live. Without a terminal there is no one to ask. */
export async function confirmWrite({ environment, url }: Connection, given: Given, what: string): Promise<void> {
  if (environment === "preview" || given.flag("yes")) return;
  if (!isInteractive()) throw usageError(`${what} changes live data. Add --yes to do it without being asked.`);
  const answer = await ask(`${what} changes live data at ${url}. Continue? [y/N] `);
  if (!/^y(?:es)?$/i.test(answer)) throw new CliError(exitCodes.failed, "nothing was changed.");
}
