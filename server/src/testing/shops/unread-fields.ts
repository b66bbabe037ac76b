import { readFileSync } from "node:fs";
import path from "node:path";
import { expect } from "vitest";

type Leaf = { field: string; keys: string[]; value: unknown };

/** All values inside of a record. Positions in lists are no part of the field, and neither are the frames of pages. */
function* leavesOf(value: unknown, keys: string[] = []): Generator<Leaf> {
  const entries = typeof value === "object" && value !== null ? Object.entries(value) : [];
  for (const [key, member] of entries) if (key !== "pageInfo") yield* leavesOf(member, [...keys, key]);
  if (entries.length > 0) return;
  const names = keys.filter((key) => !/^\d+$/.test(key) && key !== "nodes");
  yield { field: names.join("."), keys, value };
}

/** None, and others of the same kind: a later and an earlier date, another number, another text or word. */
function othersFor(value: unknown): unknown[] {
  return [...sameKind(value), ...(value === null ? [] : [null])];
}

function sameKind(value: unknown): unknown[] {
  if (typeof value === "boolean") return [!value];
  if (typeof value === "number") return [value + 1];
  if (typeof value !== "string") return ["7"];
  if (/^\d{4}-\d\d-\d\d/.test(value)) return ["2025", "2027"].map((year) => year + value.slice(4));
  if (value !== "" && Number.isFinite(Number(value))) return [String(Number(value) + 1)];
  const words = /^[A-Z_]+$/.test(value) ? ["FULFILLED", "PICK_UP", "ON_HOLD"] : [];
  return [`${value}x`, `_${value}`, "x".repeat(60), ...words];
}

/** The sample with another value at one place. */
function withOther<T>(sample: T, [key, ...keys]: string[], other: unknown): T {
  if (key === undefined) return other as T;
  const copy = (Array.isArray(sample) ? [...(sample as unknown[])] : { ...sample }) as Record<string, unknown>;
  copy[key] = withOther(copy[key], keys, other);
  return copy as T;
}

/** What is imported from a sample, as text. */
type ReadSample<T> = (sample: T) => string | Promise<string>;

type SortedFields = { isRead: Set<string>; hasValue: Set<string>; all: Set<string> };

/** Nothing, an empty text or list, zero and false: an order that lost such a value can look the same. */
function isEmpty(value: unknown): boolean {
  return !value || typeof value === "object" || Number(value) === 0;
}

async function sortFields<T>(samples: readonly T[], read: ReadSample<T>): Promise<SortedFields> {
  const isRead = new Set<string>();
  const hasValue = new Set<string>();
  const all = new Set<string>();
  for (const sample of samples) {
    const before = await read(sample);
    for (const { field, keys, value } of leavesOf(sample)) {
      all.add(field);
      if (!isEmpty(value)) hasValue.add(field);
      for (const other of othersFor(value)) {
        if (isRead.has(field)) break;
        if ((await read(withOther(sample, keys, other))) !== before) isRead.add(field);
      }
    }
  }
  return { isRead, hasValue, all };
}

/** The names in the table of the section "Not read" of the documentation; `*` stands for any beginning. */
function listedIn(document: string): string[] {
  const text = readFileSync(path.join(import.meta.dirname, "../../../../docs/connect", document), "utf8");
  const section = text.split(/^## /m).find((part) => part.startsWith("Not read")) ?? "";
  const cells = section.split("\n").map((row) => row.split("|").at(2) ?? "");
  return cells.flatMap((cell) => [...cell.matchAll(/`([\w.*]+)`/g)].map(([, name]) => name!));
}

const isWithin = (field: string, name: string): boolean => field === name || field.startsWith(`${name}.`);

function isListed(name: string, field: string): boolean {
  if (!name.startsWith("*")) return isWithin(field, name);
  return field.endsWith(name.slice(1)) || field.includes(`${name.slice(1)}.`);
}

/**
 * Every field of the samples is either read or listed in the document as not read. A field counts as read if the imported order
 * changes with it. A field that is read has a value in one of the samples, so that a comparison of the imported orders shows whether
 * the value arrives. Returns the number of fields that are read. The list holds nothing that is read, or that the samples do not have.
 */
export async function expectReadOrListed<T>(
  document: string,
  samples: readonly T[],
  read: ReadSample<T>,
  nameOf: (field: string) => string = (field) => field,
): Promise<number> {
  const { isRead, hasValue, all } = await sortFields(samples, read);
  const isIn = (fields: Set<string>, name: string): boolean => [...fields].some((field) => isWithin(field, name));
  expect([...isRead].filter((field) => !isIn(hasValue, field)).map(nameOf)).toEqual([]);
  const unread = [...all].filter((field) => !isIn(isRead, field)).map(nameOf);
  const listed = listedIn(document);
  expect(unread.filter((field) => !listed.some((name) => isListed(name, field)))).toEqual([]);
  expect(listed.filter((name) => !unread.some((field) => isListed(name, field)))).toEqual([]);
  const plain = listed.filter((name) => !name.startsWith("*"));
  expect([...isRead].map(nameOf).filter((field) => plain.some((name) => isListed(name, field)))).toEqual([]);
  return isRead.size;
}
