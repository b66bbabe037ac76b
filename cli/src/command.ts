import type { ExitCode } from "./exit.ts";

export type Option = {
  type: "string" | "boolean";
  short?: string;
  multiple?: boolean;
  /** Name of the value in the help; the default is VALUE. */
  placeholder?: string;
  text: string;
  /** Allowed values, for the check and for completion. */
  values?: readonly string[];
};
export type Options = Readonly<Record<string, Option>>;

/** What was typed, checked against the options of the command. */
export type Given = {
  /** Undefined if the option was not given. */
  text(name: string): string | undefined;
  list(name: string): string[];
  /** Undefined if neither `--name` nor `--no-name` was given. */
  flag(name: string): boolean | undefined;
  /** Arguments that are no options. */
  args: string[];
};

/** A command of `hub`. Those written by hand are in cli/src/commands, one file each. */
export type Command = {
  summary: string;
  /** Arguments as the help shows them, such as ID or [TYPE ...]. */
  usage?: string;
  /** How many arguments it takes besides options; the default is none. */
  args?: { min: number; max: number };
  options: Options;
  /** Further paragraphs and examples of the help. */
  details?: string;
  /** Without a result the exit code is 0. */
  run(given: Given): Promise<ExitCode | undefined>;
};

/** Of every command that calls a hub. */
export const connectionOptions: Options = {
  hub: { type: "string", placeholder: "URL", text: "Address of the hub; default HUB_URL, then the profile" },
  profile: {
    type: "string",
    placeholder: "NAME",
    text: "Stored sign-in to use; default HUB_PROFILE, then the last one",
  },
};

export const outputFormats = ["table", "json", "ndjson", "csv", "ids"] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** Of every command that prints records. */
export const outputOptions: Options = {
  output: {
    type: "string",
    short: "o",
    values: outputFormats,
    text: "Format; default table on a terminal, ndjson elsewhere",
  },
  fields: { type: "string", placeholder: "A,B.C", text: "Only these fields, with paths such as shippingAddress.city" },
};

export const confirmOptions: Options = {
  yes: { type: "boolean", short: "y", text: "Do not ask before changes on live" },
};
