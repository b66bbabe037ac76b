import packageJson from "../package.json" with { type: "json" };
import { HubApiError, HubConnectionError } from "../../sdk/src/problem.ts";
import type { ExitCode } from "./exit.ts";
import { CliError, exitCodes } from "./exit.ts";
import { findCommand } from "./find-command.ts";
import { commandHelp, groupHelp, mainHelp } from "./help.ts";
import { helpNames } from "./machine-commands.ts";
import { note, print } from "./output.ts";
import { parseArguments } from "./parse-arguments.ts";

/** Runs a command for a hub and returns the exit code. Problems go to stderr. */
export async function runCli(typed: string[]): Promise<ExitCode> {
  const [first = "--help", ...rest] = typed;
  try {
    if (["--version", "-v", "version"].includes(first)) await print(packageJson.version);
    else if (first === "__complete") await print((await (await import("./complete.ts")).complete(rest)).join("\n"));
    else if (helpNames.includes(first)) await showHelp(rest);
    else if (first.startsWith("-"))
      throw new CliError(exitCodes.usage, `options come after the command: hub COMMAND ${first}`);
    else return await runFound(typed);
    return exitCodes.done;
  } catch (error) {
    return report(error);
  }
}

/** What comes before the first option. */
function leadingWords(typed: string[]): string[] {
  const at = typed.findIndex((word) => word.startsWith("-"));
  return at === -1 ? typed : typed.slice(0, at);
}

async function runFound(typed: string[]): Promise<ExitCode> {
  const found = await findCommand(leadingWords(typed));
  if ("group" in found) {
    await print(await groupHelp(found.group));
    return exitCodes.done;
  }
  const { words, command } = found;
  const args = typed.slice(words.split(" ").length);
  if (asksForHelp(args)) {
    await print(commandHelp(words, command));
    return exitCodes.done;
  }
  try {
    return (await command.run(parseArguments(args, command))) ?? exitCodes.done;
  } catch (error) {
    return report(error, words);
  }
}

function asksForHelp(args: string[]): boolean {
  const end = args.indexOf("--");
  return args.slice(0, end === -1 ? undefined : end).some((arg) => arg === "--help" || arg === "-h");
}

/** Both `hub help orders list` and `hub orders list --help`. */
async function showHelp(words: string[]): Promise<void> {
  if (words.length === 0) return await print(await mainHelp());
  const found = await findCommand(words);
  await print("group" in found ? await groupHelp(found.group) : commandHelp(found.words, found.command));
}

function report(error: unknown, words?: string): ExitCode {
  const where = words === undefined ? "hub" : `hub ${words}`;
  if (error instanceof CliError) {
    note(`${where}: ${error.message}`);
    if (error.exitCode === exitCodes.usage && words !== undefined)
      note(`${where} --help shows its arguments and options.`);
    return error.exitCode;
  }
  if (error instanceof HubApiError) {
    note(`${where}: ${describeProblem(error)}`);
    return error.status === 401 || error.status === 403 ? exitCodes.denied : exitCodes.failed;
  }
  if (error instanceof HubConnectionError) {
    note(`${where}: ${error.message}`);
    note("Is the hub running, and is its address right? It comes from --hub, HUB_URL or the profile, in this order.");
    return exitCodes.unreachable;
  }
  throw error;
}

function describeProblem({ problem, errors, code, requestId }: HubApiError): string {
  const fields = errors.map(({ pointer, message, suggestion }) => {
    const hint = suggestion === undefined ? "" : ` Did you mean ${suggestion}?`;
    return `\n  ${pointer}: ${message}${hint}`;
  });
  const id = requestId === "" ? "" : `, request ${requestId}`;
  // The detail of a short problem repeats its title.
  const { title, detail } = problem;
  const text = detail.replace(/\.$/, "") === title ? `${title}.` : `${title}. ${detail}`;
  return `${text} (${code}${id})${fields.join("")}`;
}
