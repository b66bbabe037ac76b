import { nearestName } from "../core/nearest.ts";

export type Env = Record<string, string | undefined>;

/** Reads settings by name and collects problems. The names that were read are the settings that exist. */
export type SettingReader = {
  /** Trimmed; an empty value counts as not set. */
  text(name: string): string | undefined;
  integer(name: string, fallback: number, min: number, max: number): number;
  /** `off` disables it. */
  port(name: string, fallback: number | undefined): number | undefined;
  oneOf<Value extends string>(name: string, allowed: readonly Value[], fallback: Value): Value;
  /** Separated by commas; `rule` describes a valid entry, for the message about an invalid one. */
  list(name: string, accepts?: (entry: string) => boolean, rule?: string): string[];
  problem(message: string): void;
  /** Call last: a variable with this prefix that was not read is a problem too, except `others`. */
  refuseUnknown(prefix: string, others: readonly string[]): void;
  problems(): string[];
  names(): string[];
};

export function createSettingReader(env: Env): SettingReader {
  const problems: string[] = [];
  const names = new Set<string>();

  function text(name: string): string | undefined {
    names.add(name);
    const value = env[name]?.trim();
    return value === "" ? undefined : value;
  }

  function integer(name: string, fallback: number, min: number, max: number): number {
    const value = text(name);
    if (value === undefined) return fallback;
    const number = Number(value);
    if (Number.isInteger(number) && number >= min && number <= max) return number;
    problems.push(`${name} must be a whole number from ${min} to ${max}, not "${value}".`);
    return fallback;
  }

  return {
    text,
    integer,
    port(name, fallback) {
      const value = text(name);
      if (value?.toLowerCase() === "off") return undefined;
      return value === undefined ? fallback : integer(name, 0, 0, 65_535);
    },
    oneOf(name, allowed, fallback) {
      const value = text(name) ?? fallback;
      const found = allowed.find((candidate) => candidate === value);
      if (found === undefined) problems.push(`${name} must be one of ${allowed.join(", ")}, not "${value}".`);
      return found ?? fallback;
    },
    list(name, accepts = () => true, rule = "") {
      const entries = (text(name) ?? "").split(",").map((entry) => entry.trim());
      const given = entries.filter((entry) => entry !== "");
      for (const entry of given) if (!accepts(entry)) problems.push(`${name} ${rule}, not "${entry}".`);
      return given;
    },
    problem: (message) => void problems.push(message),
    refuseUnknown(prefix, others) {
      for (const name of Object.keys(env)) {
        if (!name.startsWith(prefix) || names.has(name) || others.includes(name)) continue;
        const meant = nearestName(name, [...names]);
        const hint = meant === undefined ? "docs/operate.md lists them." : `did you mean ${meant}?`;
        problems.push(`${name} is not a setting of the hub; ${hint}`);
      }
    },
    problems: () => problems,
    names: () => [...names],
  };
}
