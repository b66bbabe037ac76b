import { hash } from "node:crypto";
import type { FieldChange } from "../../orders/order-changes.ts";

/** A member of a list or object: the value, or the digest of a value stored once per order. */
type Member = unknown;
type Named = { $: string };

/**
 * Stored form of a change to a long list or object: the previous value and the difference. Members are referenced instead of
 * repeated, since most of them occur in every change of the field.
 */
type PackedChange =
  | { path: string; list: Member[]; at: number; gone: number; put: Member[] }
  | { path: string; object: Record<string, Member>; gone: string[]; put: Record<string, Member> };

export type StoredChange = FieldChange | PackedChange;

/** Packing shorter values would save little and slow down reading. */
const longAbove = 500;
const memberAbove = 48;

/** Stores a value and returns its digest. */
export type Keep = (value: unknown) => string;

/** The stored form of a change; referenced values are passed to `keep`. */
export function packChange(change: FieldChange, keep: Keep): StoredChange {
  const { path, from, to } = change;
  if (!isLong(change)) return change;
  if (Array.isArray(from) && Array.isArray(to)) return packList(path, from, to, keep);
  return isRecord(from) && isRecord(to) ? packObject(path, from, to, keep) : change;
}

/** Called for every change, so it stops counting at the limit. */
export function isLong({ from }: FieldChange): boolean {
  return typeof from === "object" && lengthOf(from, longAbove) > longAbove;
}

function packList(path: string, from: unknown[], to: unknown[], keep: Keep): PackedChange {
  const [list, after] = [from, to].map((values) => values.map((value) => packMember(value, keep)));
  const shorter = Math.min(list!.length, after!.length);
  let at = 0;
  while (at < shorter && isSame(list![at], after![at])) at++;
  let tail = 0;
  while (tail < shorter - at && isSame(list!.at(-1 - tail), after!.at(-1 - tail))) tail++;
  return { path, list: list!, at, gone: list!.length - at - tail, put: after!.slice(at, after!.length - tail) };
}

function packObject(
  path: string,
  from: Record<string, unknown>,
  to: Record<string, unknown>,
  keep: Keep,
): PackedChange {
  const pack = (values: Record<string, unknown>): [string, Member][] =>
    Object.entries(values).map(([key, value]) => [key, packMember(value, keep)]);
  const object = Object.fromEntries(pack(from));
  const isKept = (key: string, value: Member): boolean => Object.hasOwn(object, key) && isSame(object[key], value);
  return {
    path,
    object,
    gone: Object.keys(from).filter((key) => !Object.hasOwn(to, key)),
    put: Object.fromEntries(pack(to).filter(([key, value]) => !isKept(key, value))),
  };
}

/** A value that looks like a reference is stored as one. */
function packMember(value: unknown, keep: Keep): Member {
  const isLong = lengthOf(value, memberAbove) > memberAbove;
  return isLong || isNamed(value) ? ({ $: keep(value) } satisfies Named) : value;
}

/** The original change. */
export function unpackChange(change: StoredChange, valueOf: (digest: string) => unknown): FieldChange {
  const unpack = (member: Member): unknown => (isNamed(member) ? valueOf(member.$) : member);
  if ("list" in change) {
    const from = change.list.map(unpack);
    const to = from.toSpliced(change.at, change.gone, ...change.put.map(unpack));
    return { path: change.path, from, to };
  }
  if ("object" in change) {
    const unpackAll = (members: Record<string, Member>): [string, unknown][] =>
      Object.entries(members).map(([key, member]) => [key, unpack(member)]);
    const from = unpackAll(change.object);
    const kept = from.filter(([key]) => !change.gone.includes(key));
    return {
      path: change.path,
      from: Object.fromEntries(from),
      to: Object.fromEntries([...kept, ...unpackAll(change.put)]),
    };
  }
  return change;
}

/** The digests a stored change refers to. */
export function namesIn(change: StoredChange): string[] {
  const members: Member[] =
    "list" in change
      ? [...change.list, ...change.put]
      : "object" in change
        ? [...Object.values(change.object), ...Object.values(change.put)]
        : [];
  return members.flatMap((member) => (isNamed(member) ? [member.$] : []));
}

/** 96 bits of SHA-256: enough within one order. */
export function digestOf(value: unknown): string {
  return hash("sha256", canonical(value), "base64url").slice(0, 16);
}

function isSame(one: Member, other: Member): boolean {
  if (isNamed(one) && isNamed(other)) return one.$ === other.$;
  return one === other || canonical(one) === canonical(other);
}

/** Equal for equal values: jsonb returns members in its own order. */
function canonical(value: unknown): string {
  return JSON.stringify(sorted(value));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  const names = Object.keys(value).toSorted();
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]));
}

function isNamed(value: unknown): value is Named {
  return isRecord(value) && typeof value.$ === "string";
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Approximate length of its JSON; stops counting above `enough`. */
function lengthOf(value: unknown, enough: number): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 5;
  let length = 2;
  for (const name in value) {
    length += name.length + 4 + lengthOf((value as Record<string, unknown>)[name], enough - length);
    if (length > enough) break;
  }
  return length;
}
