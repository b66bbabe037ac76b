import { commandList } from "../../server/src/main/command-list.ts";
import { allCommands, findCommand } from "./find-command.ts";

/** What may follow the words that were typed after `hub`; the last one may be incomplete or empty. */
export async function complete(words: string[]): Promise<string[]> {
  const typed = words.slice(0, -1);
  const last = words.at(-1) ?? "";
  const candidates =
    last.startsWith("-") || typed.at(-1)?.startsWith("-") ? await ofOptions(typed) : await ofWords(typed);
  return [...new Set(candidates)].filter((word) => word.startsWith(last)).toSorted();
}

async function ofWords(typed: string[]): Promise<string[]> {
  const names = [...(await allCommands()).keys(), ...Object.keys(commandList)].map((name) => name.split(" "));
  const following = names
    .filter((name) => typed.every((word, at) => name[at] === word))
    .map((name) => name[typed.length]);
  return following.filter((word) => word !== undefined);
}

/** The options of the command, or the values of the option before. */
async function ofOptions(typed: string[]): Promise<string[]> {
  const first = typed.findIndex((word) => word.startsWith("-"));
  const found = await findCommand(first === -1 ? typed : typed.slice(0, first)).catch(() => undefined);
  if (!found || "group" in found) return [];
  const { options } = found.command;
  const previous = typed.at(-1)?.replace(/^--?/, "") ?? "";
  const option = Object.entries(options).find(([name, { short }]) => name === previous || short === previous)?.[1];
  if (option?.type === "string") return [...(option.values ?? [])];
  return [...Object.keys(options).map((name) => `--${name}`), "--help"];
}
