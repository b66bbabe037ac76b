import type { Path } from "../../../core/data-path.ts";
import { parsePath } from "../../../core/data-path.ts";
import { isOnePlaceholder } from "../../../core/template.ts";
import { compileTemplate } from "./compile-template.ts";
import type { Reader } from "./mapping-path.ts";
import { compileReader } from "./mapping-path.ts";
import { MappingFault, startRun } from "./mapping-run.ts";
import { namesOf, outermost, scopeProblem } from "./mapping-scope.ts";
import { isMissing } from "./mapping-values.ts";

/** A text with placeholders as mappings have them, outside of a mapping: filled in from one record at a time. */
export type RecordTemplate = {
  /** The paths of its placeholders: names from the record on, joined by dots. */
  asks: string[];
  /** `value` is undefined if all paths are missing. */
  fill(record: unknown, now: Date): { value: unknown } | { fault: string };
};

export type TemplateRules = {
  /** An optional name of the record itself: with `order`, {{order.number}} is {{number}}. */
  name: string;
  /** A template of just one placeholder keeps the type of its value. */
  keepsType: boolean;
  /** Missing values become blank, and lists and objects JSON, instead of a fault. */
  isLenient: boolean;
};

/** Undefined if nothing is to be filled in or unescaped; a list of mistakes if a placeholder is invalid. */
export function compileRecordTemplate(text: string, rules: TemplateRules): RecordTemplate | string[] | undefined {
  const problems: string[] = [];
  const asks: string[] = [];
  const readers: Reader[] = [];
  const readerFor = (given: string): Reader => {
    const parsed = parsePath(given);
    const problem = typeof parsed === "string" ? parsed : scopeProblem(parsed, outermost);
    if (typeof parsed === "string" || problem !== undefined) {
      problems.push(`{{${given}}}: ${problem}`);
      return () => undefined;
    }
    const path = withoutName(parsed, rules.name);
    const names = namesOf(path, outermost);
    if (names) asks.push(names.join("."));
    const read = compileReader(path);
    readers.push(read);
    return rules.isLenient ? (run) => toLenient(read(run)) : read;
  };
  const whole = compileTemplate(text, readerFor);
  if (problems.length > 0) return problems;
  const [only] = readers;
  if (!only && !text.includes("\\{{")) return undefined;
  const isOnly = rules.keepsType && isOnePlaceholder(text.trim());
  const read = only && isOnly ? only : whole;
  return {
    asks,
    fill(record: unknown, now: Date) {
      try {
        const value = read(startRun(record, () => now));
        return { value: isMissing(value) ? undefined : value };
      } catch (error) {
        if (error instanceof MappingFault) return { fault: error.message };
        throw error;
      }
    },
  };
}

function withoutName(path: Path, name: string): Path {
  const [first, ...rest] = path.steps;
  return first && "name" in first && first.name === name && path.call === undefined ? { ...path, steps: rest } : path;
}

function toLenient(value: unknown): unknown {
  if (isMissing(value)) return "";
  return typeof value === "object" ? JSON.stringify(value) : value;
}
