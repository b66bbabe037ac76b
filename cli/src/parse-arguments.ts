import type { ParseArgsOptionsConfig } from "node:util";
import { parseArgs } from "node:util";
import { nearestName } from "../../server/src/core/nearest.ts";
import type { Command, Given, Option, Options } from "./command.ts";
import { usageError } from "./exit.ts";

type Token = NonNullable<ReturnType<typeof parseArgs>["tokens"]>[number];
type OptionToken = Extract<Token, { kind: "option" }>;

/** Checks what was typed. Everything that the command does not take is refused: a misspelled option would change something else. */
export function parseArguments(typed: string[], { options, args = { min: 0, max: 0 }, usage = "" }: Command): Given {
  const { tokens } = parseArgs({
    args: typed,
    options: configOf(options),
    strict: false,
    allowNegative: true,
    tokens: true,
  });
  const texts = new Map<string, string[]>();
  const flags = new Map<string, boolean>();
  const positionals: string[] = [];
  for (const token of tokens) {
    if (token.kind === "positional") positionals.push(token.value);
    if (token.kind !== "option") continue;
    const [name, option] = optionOf(token, options);
    if (option.type === "boolean") flags.set(name, flagOf(token));
    else texts.set(name, [...(option.multiple ? (texts.get(name) ?? []) : []), textOf(token, option)]);
  }
  if (positionals.length < args.min) throw usageError(`missing argument: ${usage}.`);
  const surplus = positionals[args.max];
  if (surplus !== undefined) throw usageError(`unexpected argument "${surplus}".`);
  return {
    text: (name) => texts.get(name)?.at(-1),
    list: (name) => texts.get(name) ?? [],
    flag: (name) => flags.get(name),
    args: positionals,
  };
}

function configOf(options: Options): ParseArgsOptionsConfig {
  return Object.fromEntries(
    Object.entries(options).map(([name, { type, short }]) => [
      name,
      // Undefined would be taken for a short name.
      { type, multiple: true, ...(short === undefined ? {} : { short }) },
    ]),
  );
}

function optionOf({ name, rawName }: OptionToken, options: Options): [string, Option] {
  const known = Object.hasOwn(options, name) ? options[name] : undefined;
  if (known) return [name, known];
  const meant = nearestName(name, Object.keys(options));
  throw usageError(`there is no option ${rawName}.${meant === undefined ? "" : ` Did you mean --${meant}?`}`);
}

function flagOf({ value, rawName }: OptionToken): boolean {
  if (value !== undefined) throw usageError(`${rawName} takes no value; its opposite is --no-${rawName.slice(2)}.`);
  return !rawName.startsWith("--no-");
}

function textOf({ value, rawName, inlineValue }: OptionToken, { values }: Option): string {
  // An option after an option is a forgotten value; a value that starts with "-" is given as --name=-1.
  if (value === undefined || (!inlineValue && /^--?[a-z]/.test(value))) throw usageError(`${rawName} needs a value.`);
  if (values && !values.includes(value)) {
    const meant = nearestName(value, values);
    const hint = meant === undefined ? "" : ` Did you mean ${meant}?`;
    throw usageError(`${rawName} must be one of ${values.join(", ")}, not "${value}".${hint}`);
  }
  return value;
}
