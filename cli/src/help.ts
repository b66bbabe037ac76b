import { commandList } from "../../server/src/main/command-list.ts";
import type { Command, Option, Options } from "./command.ts";
import { commands } from "./commands.ts";
import { allCommands, groupsOf } from "./find-command.ts";

const longestLine = 100;

export async function mainHelp(): Promise<string> {
  const names = [...(await allCommands()).keys()];
  const own = Object.entries(commands).map(([name, { summary }]): Line => [name, summary]);
  const machine = Object.entries(commandList).map(([name, { summary }]): Line => [name, summary]);
  const groups = groupsOf(names).filter((group) => group !== "logs");
  return [
    "Usage: hub COMMAND [ARGUMENTS] [OPTIONS]",
    `Work with a hub:\n${columns(own)}`,
    `Records, such as hub orders list; hub GROUP --help lists the commands of a group:\n${wrap(groups.toSorted().join(", "), 2)}`,
    `On the machine of the hub, in its folder:\n${columns(machine)}`,
    "hub COMMAND --help shows arguments and options; hub --version shows the version.",
  ].join("\n\n");
}

export async function groupHelp(group: string): Promise<string> {
  const lines = [...(await allCommands())].filter(([name]) => name.startsWith(`${group} `));
  return `Usage: hub ${group} COMMAND\n\n${columns(lines)}\n\nhub ${group} COMMAND --help shows arguments and options.`;
}

export function commandHelp(words: string, { summary, usage, options, details }: Command): string {
  const call = ["hub", words, ...(usage === undefined ? [] : [usage]), "[OPTIONS]"].join(" ");
  return [
    `Usage: ${call}`,
    `  ${summary}`,
    `Options:\n${describeOptions(options)}`,
    ...(details ? [details] : []),
  ].join("\n\n");
}

type Line = [name: string, text: string];

function describeOptions(options: Options): string {
  const help: Option = { type: "boolean", short: "h", text: "Show this help" };
  return columns(
    Object.entries({ ...options, help }).map(([name, option]) => {
      const short = option.short === undefined ? "    " : `-${option.short}, `;
      const value = option.type === "boolean" ? "" : ` ${option.placeholder ?? "VALUE"}`;
      const allowed = option.values
        ? `${option.text === "" ? "" : `${option.text}. `}One of ${option.values.join(", ")}`
        : option.text;
      return [`${short}--${name}${value}`, allowed];
    }),
  );
}

/** Two columns, the second one wrapped. */
function columns(lines: Line[]): string {
  const width = Math.min(34, Math.max(...lines.map(([name]) => name.length)));
  return lines
    .map(([name, text]) => {
      const wrapped = wrap(text, width + 4);
      return name.length > width ? `  ${name}\n${wrapped}` : `  ${name.padEnd(width)}${wrapped.slice(width + 2)}`;
    })
    .map((line) => line.trimEnd())
    .join("\n");
}

function wrap(text: string, indent: number): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && indent + line.length + word.length + 1 > longestLine) {
      lines.push(line);
      line = "";
    }
    line += line === "" ? word : ` ${word}`;
  }
  return [...lines, line].map((one) => " ".repeat(indent) + one).join("\n");
}
