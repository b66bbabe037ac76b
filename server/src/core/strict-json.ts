import type { FieldError } from "./errors.ts";
import { HubError, validationFailed } from "./errors.ts";

const maxJsonDepth = 64;
/** Each takes a hundred times the room of its two bytes when it is parsed. */
const maxJsonValues = 4_000_000;
const maxReported = 20;

/**
 * JSON.parse for strangers: valid UTF-8 only, bounded depth, no duplicate keys, and no value that PostgreSQL or
 * JavaScript would silently change (NUL, lone surrogates, numbers beyond 2^53, `__proto__`).
 */
export function parseStrictJson(bytes: Buffer): unknown {
  const { depth, members, values } = measure(bytes);
  if (depth > maxJsonDepth) {
    throw new HubError("malformed_json", `The body is nested ${depth} levels deep; ${maxJsonDepth} are allowed.`);
  }
  if (values > maxJsonValues) {
    throw new HubError("body_too_large", `The body has ${values} values; ${maxJsonValues} are allowed.`);
  }
  const text = decode(bytes);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new HubError("malformed_json", `The body is not valid JSON: ${(error as Error).message}.`);
  }
  const errors: FieldError[] = [];
  const found = inspect(value, "", errors);
  // JSON.parse keeps the last of two equal keys, so fewer members in the value than in the text means a duplicate.
  if (found !== members) errors.push(...findDuplicateKeys(text));
  if (errors.length > 0) throw validationFailed(errors);
  return value;
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw new HubError("malformed_json", "The body is not valid UTF-8.");
  }
}

const quote = 0x22;
const backslash = 0x5c;

/** One pass over the bytes, before anything recursive sees them. */
function measure(bytes: Buffer): { depth: number; members: number; values: number } {
  let values = 1;
  let depth = 0;
  let deepest = 0;
  let members = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === quote) {
      for (i++; i < bytes.length && bytes[i] !== quote; i++) if (bytes[i] === backslash) i++;
    } else if (byte === 0x3a) members++;
    else if (byte === 0x2c) values++;
    else if (byte === 0x7b || byte === 0x5b) {
      values++;
      if (++depth > deepest) deepest = depth;
    } else if (byte === 0x7d || byte === 0x5d) depth--;
  }
  return { depth: deepest, members, values };
}

/** Collects what cannot be stored unchanged; returns how many object members there are. */
function inspect(value: unknown, pointer: string, errors: FieldError[]): number {
  if (typeof value === "string") {
    const problem = textProblem(value);
    if (problem) report(errors, { pointer, ...problem });
    return 0;
  }
  if (typeof value === "number") {
    if (!Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value))) {
      report(errors, { pointer, code: "number_out_of_range", message: "The number is too large to be kept exactly." });
    }
    return 0;
  }
  if (value === null || typeof value !== "object") return 0;
  let members = 0;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) members += inspect(value[i], `${pointer}/${i}`, errors);
    return members;
  }
  for (const key of Object.keys(value)) {
    const at = `${pointer}/${escapePointer(key)}`;
    const problem = key === "__proto__" ? forbiddenKey : textProblem(key);
    if (problem) report(errors, { pointer: at, ...problem });
    members += 1 + inspect((value as Record<string, unknown>)[key], at, errors);
  }
  return members;
}

/** An object of JSON, which is neither a list nor null. */
export function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Texts in a value from elsewhere that PostgreSQL would refuse. */
export function findUnstorableText(value: unknown): FieldError[] {
  const errors: FieldError[] = [];
  inspect(value, "", errors);
  return errors.filter(({ code }) => code === "invalid_character");
}

const forbiddenKey = { code: "forbidden_key", message: "This key is not allowed." };

/** Also used for query strings and paths, which never pass through JSON. */
export function textProblem(text: string): { code: string; message: string } | undefined {
  if (text.includes("\u0000")) return { code: "invalid_character", message: "The text contains a NUL character." };
  if (!text.isWellFormed())
    return { code: "invalid_character", message: "The text contains half of a surrogate pair." };
  return undefined;
}

/** NUL and halves of characters cannot be stored; they only get into JSON as escapes, so most texts need no look. */
export function storable(value: unknown, source: string): unknown {
  return /\\u(0000|d[89a-f])/i.test(source) ? cleaned(value) : value;
}

function cleaned(value: unknown): unknown {
  if (typeof value === "string") return cleanText(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [cleanText(name), cleaned(member)]));
}

export function cleanText(text: string): string {
  return textProblem(text) ? text.toWellFormed().replaceAll("\u0000", "") : text;
}

function report(errors: FieldError[], error: FieldError): void {
  if (errors.length < maxReported) errors.push(error);
}

export function escapePointer(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1").toWellFormed();
}

type Container = { keys: Set<string> | undefined; index: number; key: string };

/** Slow path: runs only when a duplicate is known to exist in an already valid text. */
function findDuplicateKeys(text: string): FieldError[] {
  const errors: FieldError[] = [];
  const path: Container[] = [];
  const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g;
  let expectKey = false;
  for (let match = tokens.exec(text); match; match = tokens.exec(text)) {
    const [token] = match;
    const top = path.at(-1);
    if (token === "{" || token === "[") {
      path.push({ keys: token === "{" ? new Set() : undefined, index: 0, key: "" });
      expectKey = token === "{";
    } else if (token === "}" || token === "]") {
      path.pop();
      expectKey = false;
    } else if (token === "," && top) {
      top.index++;
      expectKey = top.keys !== undefined;
    } else if (token !== ":" && expectKey && top?.keys) {
      top.key = JSON.parse(token) as string;
      expectKey = false;
      if (top.keys.has(top.key)) {
        const pointer = path.map(({ keys, key, index }) => `/${keys ? escapePointer(key) : index}`).join("");
        report(errors, { pointer, code: "duplicate_key", message: "The key appears twice in the same object." });
      }
      top.keys.add(top.key);
    }
  }
  return errors;
}
