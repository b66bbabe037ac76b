import { nearestName } from "../core/nearest.ts";

export type Env = Record<string, string | undefined>;

/** Reads settings by their names and collects what is wrong with them. What is asked for is a setting; nothing else is. */
export type SettingReader = {
  /** Without blanks around it; one that is set to nothing is not set. */
  text(name: string): string | undefined;
  integer(name: string, fallback: number, min: number, max: number): number;
  /** `off` switches it off. */
  port(name: string, fallback: number | undefined): number | undefined;
  oneOf<Value extends string>(name: string, allowed: readonly Value[], fallback: Value): Value;
  /** Separated by commas; `rule` says what an entry that is not accepted should have been. */
  list(name: string, accepts?: (entry: string) => boolean, rule?: string): string[];
  problem(message: string): void;
  /** To be called last: a name with this beginning that was not asked for is a mistake too. */
  refuseUnknown(prefix: string): void;
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
    refuseUnknown(prefix) {
      for (const name of Object.keys(env)) {
        if (!name.startsWith(prefix) || names.has(name)) continue;
        const meant = nearestName(name, [...names]);
        const hint = meant === undefined ? "docs/operate.md lists them." : `did you mean ${meant}?`;
        problems.push(`${name} is not a setting of the hub; ${hint}`);
      }
    },
    problems: () => problems,
    names: () => [...names],
  };
}
