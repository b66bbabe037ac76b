import type { ParseArgsOptionsConfig } from "node:util";
import { supervised } from "./supervised.ts";

export type CommandText = {
  summary: string;
  /** Arguments, as the help shows them. */
  usage?: string;
  /** Accepted options and arguments; everything else is rejected. */
  takes: { options: ParseArgsOptionsConfig; allowPositionals: boolean };
};

const nothing = { options: {}, allowPositionals: false };

/** Commands that work on the machine of the hub, on its settings and databases. `cli` shows them beside those for remote hubs. */
export const commandList = {
  serve: {
    summary: "Start the hub",
    takes: { options: { [supervised]: { type: "boolean" } }, allowPositionals: false },
  },
  migrate: { summary: "Migrate the databases and exit", takes: nothing },
  doctor: { summary: "Check settings, database, migrations and audit logs", takes: nothing },
  backup: {
    summary: "Write a backup to a new file; the hub may be running",
    usage: "FILE [--without-secret-key]",
    takes: { options: { "without-secret-key": { type: "boolean" } }, allowPositionals: true },
  },
  restore: {
    summary: "Load a backup into a new data directory or empty databases",
    usage: "FILE [--without-secret-key]",
    takes: { options: { "without-secret-key": { type: "boolean" } }, allowPositionals: true },
  },
  "move-to": {
    summary: "Move from the embedded database to an external one",
    usage: "postgres://... [--preview postgres://...]",
    takes: { options: { preview: { type: "string" } }, allowPositionals: true },
  },
  "resume-outbound": {
    summary: "Resume outbound work of a restored hub: schedules, automations, tasks, webhooks, carriers, tracking",
    takes: nothing,
  },
  rewrap: {
    summary: "Re-encrypt stored secrets with the current key",
    usage: "[--discard-lost-keys]",
    takes: { options: { "discard-lost-keys": { type: "boolean" } }, allowPositionals: false },
  },
  "verify-audit": {
    summary: "Verify the audit logs, and saved heads of them",
    usage: "[FILE ...]",
    takes: { options: {}, allowPositionals: true },
  },
  "create-admin": {
    summary: "Create an administrator; with --organization, in a new organization",
    usage: "EMAIL [--organization NAME] [--preview]",
    takes: {
      options: { organization: { type: "string" }, preview: { type: "boolean" } },
      allowPositionals: true,
    },
  },
  "print-routes": { summary: "Print all routes with their scopes", takes: nothing },
} as const satisfies Record<string, CommandText>;

export type CommandName = keyof typeof commandList;

export function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(commandList, name);
}
