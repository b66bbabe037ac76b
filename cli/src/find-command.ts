import { nearestName } from "../../server/src/core/nearest.ts";
import { commandList } from "../../server/src/main/command-list.ts";
import type { Command } from "./command.ts";
import { commands } from "./commands.ts";
import { usageError } from "./exit.ts";

/** `words` is the name of the command, such as `orders list`. */
export type Found = { words: string; command: Command } | { group: string };

/** Names of all commands for hubs, with their summaries. */
export async function allCommands(): Promise<Map<string, string>> {
  const { operations } = await import("./operations-table.ts");
  return new Map([
    ...Object.entries(commands).map(([name, { summary }]): [string, string] => [name, summary]),
    ...[...operations].map(([name, { summary }]): [string, string] => [name, summary]),
  ]);
}

/** The longest name at the beginning of what was typed; the rest are arguments. */
export async function findCommand(typed: string[]): Promise<Found> {
  for (const words of beginnings(typed)) {
    const entry = Object.hasOwn(commands, words) ? commands[words] : undefined;
    if (entry) return { words, command: await entry.load() };
  }
  const { operations } = await import("./operations-table.ts");
  for (const words of beginnings(typed)) {
    const operation = operations.get(words);
    if (!operation) continue;
    const { operationCommand } = await import("./operation-command.ts");
    return { words, command: operationCommand(words, operation) };
  }
  const names = [...(await allCommands()).keys()];
  const group = typed.join(" ");
  if (names.some((name) => name.startsWith(`${group} `))) return { group };
  throw unknownCommand(group, names);
}

function beginnings(words: string[]): string[] {
  return words.map((_, at) => words.slice(0, words.length - at).join(" "));
}

function unknownCommand(typed: string, names: string[]): Error {
  const meant = nearestName(typed, [...names, ...groupsOf(names), ...Object.keys(commandList)]);
  const hint = meant === undefined ? "" : ` Did you mean "${meant}"?`;
  return usageError(`there is no command "${typed}".${hint} hub --help lists all commands.`);
}

/** First words of commands with several. */
export function groupsOf(names: Iterable<string>): string[] {
  const groups = [...names].filter((name) => name.includes(" ")).map((name) => name.split(" ")[0]!);
  return [...new Set(groups)];
}
