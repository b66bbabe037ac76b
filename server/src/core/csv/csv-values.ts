import type { CellValue } from "./csv-cells.ts";
import { clip, readDate, readNumber } from "./csv-cells.ts";
import { textProblem } from "../strict-json.ts";
import { readWeightUnit } from "../weight.ts";

/** A cell as the value of its field. */
export function readValue(field: string, text: string): CellValue {
  switch (field) {
    case "line.quantity":
    case "line.price":
    case "line.weight":
    case "total":
      return readNumber(text);
    case "orderedAt":
    case "shipBy":
    case "deliverBy":
    case "dispatchOn":
      return readDate(text);
    case "status":
    case "paymentStatus":
    case "priority":
      return { value: text.toLowerCase().replaceAll(/[\s-]+/g, "_") };
    case "currency":
      return { value: text.toUpperCase() };
    case "line.weightUnit":
      return { value: readWeightUnit(text) ?? text.toLowerCase() };
    case "tags":
      return { value: readTags(text) };
    case "customFields":
      return readObject(text);
    default:
      return { value: text };
  }
}

const separator = /[,;|]/;

/** Tags in one cell; as a JSON list when one of them has what separates them. */
export function writeTags(tags: readonly string[]): string {
  return tags.some((tag) => separator.test(tag) || tag.startsWith("[")) ? JSON.stringify(tags) : tags.join("|");
}

function readTags(text: string): string[] {
  const tags = readTexts(text) ?? text.split(separator).map((tag) => tag.trim());
  return [...new Set(tags.filter((tag) => tag !== ""))];
}

function readTexts(text: string): string[] | undefined {
  if (!text.startsWith("[")) return undefined;
  try {
    const list = JSON.parse(text) as unknown;
    const isKept = Array.isArray(list) && list.every((member) => typeof member === "string" && !textProblem(member));
    return isKept ? (list as string[]) : undefined;
  } catch {
    return undefined;
  }
}

function readObject(text: string): CellValue {
  try {
    const value = JSON.parse(text) as Record<string, unknown>;
    const isKept = Object.values(value).every((member) => typeof member !== "string" || !textProblem(member));
    if (isKept) return { value };
  } catch {
    // Said below.
  }
  return { problem: { code: "not_json", message: `${clip(text)} is not a JSON object that can be kept.` } };
}
