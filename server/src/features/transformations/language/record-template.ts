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
  /** What its placeholders ask for: names from the record on, joined by dots. */
  asks: string[];
  /** Undefined: nothing of what it asks for is there. */
  fill(record: unknown, now: Date): { value: unknown } | { fault: string };
};

export type TemplateRules = {
  /** What people may call the record itself: with `order`, {{order.number}} is {{number}}. */
  name: string;
  /** A template that is nothing but one placeholder keeps the type of what it stands for. */
  keepsType: boolean;
  /** What is missing is blank, and a list or an object is written as JSON, instead of being a fault. */
  isLenient: boolean;
};

/** Undefined: there is no placeholder in it. A list: what is wrong with those that there are. */
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
  if (!only) return undefined;
  const isOnly = rules.keepsType && isOnePlaceholder(text.trim());
  const read = isOnly ? only : whole;
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
