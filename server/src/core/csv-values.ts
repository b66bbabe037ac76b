import type { CellValue } from "./csv-cells.ts";
import { clip, readDate, readNumber } from "./csv-cells.ts";
import { textProblem } from "./strict-json.ts";

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
      return { value: text.toLowerCase() };
    case "tags": {
      const tags = text.split(/[,;|]/).map((tag) => tag.trim());
      return { value: [...new Set(tags.filter((tag) => tag !== ""))] };
    }
    case "customFields":
      return readObject(text);
    default:
      return { value: text };
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
